"""A view undoes one kind of escape and knows where each of its bytes stood."""

from __future__ import annotations

import json
from urllib.parse import quote, unquote_to_bytes

from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.masking.views import UNFINISHED, json_decoded, percent_decoded, plain, without_breaks


def test_line_breaks_are_taken_out_however_they_are_written() -> None:
    view = without_breaks(b"ab\ncd\\nef\r\ng")
    assert view.data == b"abcdefg"
    assert view.span(2) == (3, 4)


def test_a_percent_escape_spans_its_three_bytes() -> None:
    (view,) = percent_decoded(b"a%2Fb")
    assert view.data == b"a/b"
    assert [view.span(at) for at in range(3)] == [(0, 1), (1, 4), (4, 5)]


def test_a_plus_is_itself_and_a_space() -> None:
    assert [view.data for view in percent_decoded(b"a+%20b")] == [b"a+ b", b"a  b"]


def test_json_inside_json_points_back_to_the_outermost_text() -> None:
    data = json.dumps(json.dumps("é/"))[1:-1].encode()
    views = list(json_decoded(data))
    assert views[-1].data == '"é/"'.encode()
    start, end = views[-1].span(1)
    assert data[start:end] == b"\\\\u00e9"


def test_a_surrogate_pair_is_one_character() -> None:
    (view,) = json_decoded(b"\\ud83d\\ude00")
    assert view.data == "😀".encode()


def test_escapes_that_a_write_cut_are_seen() -> None:
    cut = [b"a\\", b"a\\u00", b"a%", b"a%2", b"a\\\\\\"]
    assert [UNFINISHED.search(text) is not None for text in cut] == [True] * 5
    assert UNFINISHED.search(b"a%20") is None


@settings(deadline=None)
@given(st.binary(max_size=40))
def test_spans_cover_the_original_in_order(data: bytes) -> None:
    views = [plain(data), without_breaks(data), *percent_decoded(data), *json_decoded(data)]
    for view in views:
        assert view.way is not None or view.data == data
        spans = [view.span(at) for at in range(len(view.data))]
        assert all(0 <= start < end <= len(data) for start, end in spans)
        assert spans == sorted(spans)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_views_undo_what_the_standard_library_escapes(text: str) -> None:
    encoded = quote(text, safe="").encode()
    decoded = [view.data for view in percent_decoded(encoded)] or [encoded]
    assert decoded[0] == unquote_to_bytes(encoded)
    body = json.dumps(text)[1:-1].encode()
    views = [view.data for view in json_decoded(body)] or [body]
    assert text.encode() in views
