"""What a cut left of a secret doesn't survive beside a cut mark, and other text does."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.masking.masker import Masker

TOKEN = "sk-Live_Qr7Wz/TpXk+Nd"
M = "[secret T]"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"token {TOKEN[:13]}…", f"token {M}…"),
        (f"token {TOKEN[:5]}…", f"token {M}…"),
        (f"token {TOKEN[:4]}…", f"token {TOKEN[:4]}…"),
        (f"{TOKEN[:8]} … (line cut: 9 more characters)", f"{M} … (line cut: 9 more characters)"),
        (f"{TOKEN[:8]}\n… 9 bytes left out …\n{TOKEN[8:]}.", f"{M}\n… 9 bytes left out …\n{M}."),
        (f"…{TOKEN[-5:]} end", f"…{M} end"),
        (f"…{TOKEN[-4:]} end", f"…{TOKEN[-4:]} end"),
        (f"  …\n  {TOKEN[9:]} end", f"  …\n  {M} end"),
        (f"…{TOKEN[4:12]}…", f"…{M}…"),
        (f"…\n{TOKEN[4:12]}\n…", f"…\n{M}\n…"),
        (f"{TOKEN[:9]}\ufffd…\ufffd{TOKEN[9:]}", f"{M}\ufffd…\ufffd{M}"),
        (f"{TOKEN}…", f"{M}…"),
        (f"{TOKEN[:13]}", TOKEN[:13]),
        (f"{TOKEN[:13]}X…", f"{TOKEN[:13]}X…"),
        (f"…X{TOKEN[-9:]}", f"…X{TOKEN[-9:]}"),
        ("a plain sentence … and … more …", "a plain sentence … and … more …"),
    ],
)  # fmt: skip
def test_the_part_beside_the_mark_is_masked(text: str, masked: str) -> None:
    masker = Masker({"T": TOKEN})
    assert masker.text(text) == masked
    assert masker.data(text.encode()) == masked.encode()
    assert masker.json([{text: text}]) == [{masked: masked}]


@pytest.mark.parametrize(
    "form",
    [
        base64.b64encode(TOKEN.encode()).decode(),
        TOKEN.encode().hex(),
        TOKEN.encode().hex().upper(),
        quote(TOKEN, safe=""),
        json.dumps(TOKEN)[1:-1],
    ],
)
def test_the_part_of_any_form_is_masked(form: str) -> None:
    masker = Masker({"T": TOKEN})
    assert masker.text(f"a {form[:10]}… b") == f"a {M}… b"
    assert masker.text(f"a …{form[-12:]} b") == f"a …{M} b"


def test_a_mark_written_as_an_escape_is_a_mark() -> None:
    masker = Masker({"T": "pass\"word\nIt's"})
    whole = json.dumps({"said": 'pass"wo…', "rest": "…\nord\nIt's"})
    assert masker.text(whole) == '{"said": "[secret T]\\u2026", "rest": "\\u2026\\n[secret T]"}'


def test_an_escape_cut_in_two_hides_nothing_of_what_is_beside_it() -> None:
    masker = Masker({"T": "pass/Üword-Ärger"})
    assert masker.text("got pass/\\u00…") == "got [secret T]\\u00…"
    assert masker.text("…00c4rger end") == "…00c4rger end"  # 4 characters, too few
    assert masker.text("…dcword-\\u00c4rger end") == "…dc[secret T] end"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("pw=hunt2…", "pw=[secret P]…"),
        ("…hunt2", "…[secret P]"),
        ("xhunt2…", "xhunt2…"),
        ("…hunt2x", "…hunt2x"),
    ],
)
def test_a_short_value_beside_a_mark_stands_alone(text: str, masked: str) -> None:
    assert Masker({"P": "hunt2"}).text(text) == masked


def test_a_short_secret_costs_a_long_one_no_part() -> None:
    masker = Masker({"PIN": "123", "T": TOKEN})
    assert masker.text(f"{TOKEN[:6]}… 123… …{TOKEN[-6:]}") == f"{M}… [secret PIN]… …{M}"


@pytest.mark.parametrize("text", [f"{TOKEN[:9]}\n… 9 …\n{TOKEN[5:12]} … {TOKEN[-7:]}!"])
def test_a_stream_masks_parts_written_byte_by_byte(text: str) -> None:
    masker = Masker({"T": TOKEN})
    stream = masker.stream()
    out = b"".join(stream.feed(bytes([byte])) for byte in text.encode())
    assert (out + stream.finish()).decode() == f"{M}\n… 9 …\n{M} … {M}!"


_SECRETS = st.text(st.sampled_from('ab+%\\/ "\nÄ…'), min_size=3, max_size=14)


@settings(deadline=None)
@given(secrets=st.lists(_SECRETS, min_size=1, max_size=3), data=st.data())
def test_a_stream_with_cuts_masks_what_the_whole_would(
    secrets: list[str], data: st.DataObject
) -> None:
    masker = Masker({f"S{n}": value for n, value in enumerate(secrets)})
    pieces = st.one_of(
        st.sampled_from(["…", " … ", "\n…\n", "\\u2026", "\\n", " ", "\ufffd", "x", "u00c4", "\\"]),
        st.sampled_from(secrets).flatmap(
            lambda value: st.slices(len(value)).map(
                lambda part: json.dumps(value[part])[1:-1] if len(value) % 2 else value[part]
            )
        ),
    )
    whole = "".join(data.draw(st.lists(pieces, max_size=8))).encode()
    stream = masker.stream()
    out, rest = b"", whole
    while rest:
        size = data.draw(st.integers(1, max(1, min(len(rest), 20))))
        out, rest = out + stream.feed(rest[:size]), rest[size:]
    assert out + stream.finish() == masker.data(whole)
