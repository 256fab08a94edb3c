"""No form of a secret survives a masker, in text, bytes, JSON values and streams."""

from __future__ import annotations

import base64
import binascii
import json
import re
import subprocess
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reeval.masking.masker import Masker, mask

KEY = "sk-ant-api03/x+Zq=9_Ünï~"
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n"
    "-----END PRIVATE KEY-----\n"
)


def _escaped(text: str, times: int = 1) -> str:
    """The text as it stands in a JSON string, in a JSON string, …"""
    for _ in range(times):
        text = json.dumps(text)[1:-1]
    return text


FORMS = {
    "raw": KEY,
    "json": _escaped(KEY),
    "json in utf-8": json.dumps(KEY, ensure_ascii=False)[1:-1],
    "json, upper case": json.dumps(KEY).replace("\\u00dc", "\\u00DC")[1:-1],
    "json, slash escaped": KEY.replace("/", "\\/"),
    "json in json": _escaped(KEY, 2),
    "json in json in json": _escaped(KEY, 3),
    "quote": quote(KEY),
    "quote, nothing safe": quote(KEY, safe=""),
    "quote, lower case": re.sub("%..", lambda m: m[0].lower(), quote(KEY, safe="")),
    "quote_plus": quote_plus(KEY),
    "every byte percent-encoded": "".join(f"%{b:02X}" for b in KEY.encode()),
    "some bytes percent-encoded": KEY.replace("a", "%61"),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64, not padded": base64.b64encode(KEY.encode()).decode().rstrip("="),
    "base64, urlsafe": base64.urlsafe_b64encode(KEY.encode()).decode(),
    "hex": KEY.encode().hex(),
    "hex, upper case": KEY.encode().hex().upper(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_becomes_the_secrets_name(form: str) -> None:
    assert Masker({"KEY": KEY}).text(f"<{form}>") == "<[secret KEY]>"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "user:"])
@pytest.mark.parametrize("after", ["", "z", "zz", "\n"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_of_a_secret_inside_other_text(before: str, after: str, encode: Any) -> None:
    encoded = encode(f"{before}{KEY}{after}".encode())
    masked = Masker({"KEY": KEY}).data(encoded)
    assert b"[secret KEY]" in masked
    # What is left are the characters around it, which hold at most 4 bits of its edges each.
    assert len(masked.replace(b"[secret KEY]", b"")) <= len(encode(f"{before}{after}".encode())) + 4


@pytest.mark.parametrize("command", [["base64"], ["base64", "-w", "19"], ["xxd", "-p"]])
def test_encoders_that_wrap_their_lines(command: list[str]) -> None:
    value = "token-" + "0123456789abcdef" * 12
    try:
        out = subprocess.run(command, input=value.encode(), capture_output=True, check=True).stdout
    except FileNotFoundError:
        out = binascii.hexlify(value.encode())
        out = b"\n".join(out[i : i + 60] for i in range(0, len(out), 60))
    assert b"\n" in out
    masker = Masker({"T": value})
    assert masker.data(out).strip() == b"[secret T]"
    assert masker.text(json.dumps(out.decode())).strip('"').rstrip("\\n") == "[secret T]"


def test_each_line_of_a_value_with_several() -> None:
    masked = Masker({"PEM": PEM}).text(f"line two was {PEM.splitlines()[2]}, and\n{PEM}")
    assert masked == "line two was [secret PEM], and\n[secret PEM]"
    assert Masker({"PEM": PEM}).text(json.dumps({"key": PEM})) == '{"key": "[secret PEM]"}'


def test_a_value_with_space_around_it_is_found_without_it() -> None:
    assert Masker({"KEY": "abcdefgh\n"}).text("it is abcdefgh.") == "it is [secret KEY]."


def test_secrets_that_overlap_leave_nothing_of_either() -> None:
    masker = Masker({"SHORT": "abcdefgh", "LONG": "abcdefghijkl", "NEXT": "ijklmnopqr"})
    assert masker.text("abcdefghijkl") == "[secret LONG]"
    assert masker.text("abcdefghijklmnopqr") == "[secret LONG]"
    assert masker.text("abcdefghX") == "[secret SHORT]X"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("pw=hunt2;", "pw=[secret P];"),
        ("hunt2", "[secret P]"),
        ('{"a": "x\\nhunt2\\ny"}', '{"a": "x\\n[secret P]\\ny"}'),
        ("a%20hunt2", "a%20[secret P]"),
        ("aHVudDI=", "[secret P]"),
        ("hunt25", "hunt25"),
        ("xhunt2", "xhunt2"),
        ("hunt2_", "hunt2_"),
    ],
)
def test_a_short_value_is_masked_only_where_it_stands_alone(text: str, masked: str) -> None:
    assert Masker({"P": "hunt2"}).text(text) == masked


def test_a_short_value_is_warned_about_by_name() -> None:
    assert Masker({"P": "hunt2", "KEY": KEY}).warnings == (
        "the secret P has fewer than 8 characters, so it is masked only where it stands alone and "
        "not inside a longer word: give it a longer value",
    )


def test_a_blank_value_is_no_secret_to_warn_about() -> None:
    assert Masker({"EMPTY": "", "BLANK": "  "}).warnings == ()


def test_json_values_are_masked_deep_with_their_keys_and_kept_otherwise() -> None:
    value = {"a": [1, True, None, 2.5, {KEY: f"x {KEY}"}], "b": ("y", KEY)}
    assert Masker({"KEY": KEY}).json(value) == {
        "a": [1, True, None, 2.5, {"[secret KEY]": "x [secret KEY]"}],
        "b": ["y", "[secret KEY]"],
    }


def test_json_numbers_that_are_a_secret_are_masked_and_others_stay_numbers() -> None:
    masker = Masker({"PIN": "12345678", "SHORT": "1234"})
    assert masker.json([12345678, 1234, 99999999]) == ["[secret PIN]", 1234, 99999999]


def test_json_keys_that_are_the_same_secret_lose_no_value() -> None:
    masked = Masker({"K": "abcdefgh"}).json({"abcdefgh": 1, "6162636465666768": 2})
    assert sorted(masked.values()) == [1, 2]


def test_json_too_deep_to_walk_is_left_out_rather_than_shown() -> None:
    value: Any = KEY
    for _ in range(100_000):
        value = [value]
    assert Masker({"KEY": KEY}).json(value) == "[a value nested too deep to mask]"


@pytest.mark.parametrize("text", ["a\ud800b", "nul\x00", "é" * 5, "\udcff"])
def test_text_that_utf8_cannot_hold_comes_back_as_it_was(text: str) -> None:
    assert Masker({"KEY": KEY}).text(f"{text} {KEY} {text}") == f"{text} [secret KEY] {text}"


def test_a_variable_that_is_not_utf8_is_found_as_bytes_and_as_text() -> None:
    value = b"abc\xffdefgh".decode("utf-8", "surrogateescape")
    masker = Masker({"B": value})
    assert masker.data(b"x abc\xffdefgh y") == b"x [secret B] y"
    assert masker.text(f"x {value} y") == "x [secret B] y"


def test_without_secrets_everything_comes_back_untouched() -> None:
    masker = Masker({"EMPTY": "", "BLANK": "  "})
    text, data, value = "text", b"data", {"a": [1]}
    assert masker.active is False
    assert masker.text(text) is text
    assert masker.data(data) is data
    assert masker.json(value) is value
    stream = masker.stream()
    assert stream.feed(data) is data
    assert stream.finish() == b""


def test_text_without_a_secret_in_it_is_the_same_object() -> None:
    text, data = "nothing here %20 \\n +", b"nothing here"
    assert Masker({"KEY": KEY}).text(text) is text
    assert Masker({"KEY": KEY}).data(data) is data


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_stream_masks_a_form_written_byte_by_byte(form: str) -> None:
    stream = Masker({"KEY": KEY}).stream()
    out = b"".join(stream.feed(bytes([b])) for b in f"<{form}>".encode())
    assert out + stream.finish() == b"<[secret KEY]>"


def test_a_stream_writes_at_once_what_cannot_become_a_secret() -> None:
    stream = Masker({"KEY": "abcdefghij"}).stream()
    assert stream.feed(b"hello ") == b"hello "
    assert stream.feed(b"abcdef") == b""
    assert stream.feed(b"X") == b"abcdefX"
    assert stream.finish() == b""


def test_a_stream_of_overlapping_secrets_holds_back_no_more_and_more() -> None:
    stream = Masker({"A": "aaaaaaaa"}).stream()
    out = b"".join(stream.feed(b"a" * 1000) for _ in range(100))
    assert out + stream.finish() == b"[secret A]"
    assert len(stream._buffer) < 200


# ── whatever the secret and whatever is around it ────────────────────────────────────────────

_VALUES = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="[]"),
    min_size=8,
    max_size=30,
)
_AROUND = st.text(st.sampled_from("ab %+\\nu\"'/=0139\n{}:é"), max_size=12)


def _forms(value: str) -> list[bytes]:
    raw = value.encode()
    texts = [
        value,
        _escaped(value),
        _escaped(value, 2),
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
    ]
    encoded = [encode(raw) for encode in (base64.b64encode, base64.urlsafe_b64encode)]
    return [
        *(text.encode() for text in texts),
        *encoded,
        *(form.rstrip(b"=") for form in encoded),
        raw.hex().encode(),
        raw.hex().upper().encode(),
    ]


def _holds(data: bytes, name: str, forms: list[bytes]) -> bool:
    """Whether a form stands between masks; the masks themselves are the masker's own words."""
    return any(form in part for part in data.split(mask(name)) for form in forms)


@settings(deadline=None)
@given(value=_VALUES, before=_AROUND, after=_AROUND, data=st.data())
def test_no_form_survives_in_text_bytes_or_json(
    value: str, before: str, after: str, data: st.DataObject
) -> None:
    forms = _forms(value)
    form = data.draw(st.sampled_from(forms))
    whole = before.encode() + form + after.encode()
    masker = Masker({"N": value})
    assert not _holds(masker.data(whole), "N", forms)
    assert not _holds(masker.text(whole.decode()).encode(), "N", forms)
    shown = json.dumps(masker.json({whole.decode(): [whole.decode()]}), ensure_ascii=False)
    assert not _holds(shown.encode(), "N", [value.encode(), form])


@settings(deadline=None)
@given(
    secrets=st.lists(
        st.one_of(_VALUES, st.text(st.sampled_from("ab+%\\/"), min_size=3, max_size=12)),
        min_size=1,
        max_size=3,
    ),
    around=st.lists(_AROUND, min_size=1, max_size=5),
    data=st.data(),
)
def test_a_stream_masks_what_the_whole_would_however_it_is_split(
    secrets: list[str], around: list[str], data: st.DataObject
) -> None:
    masker = Masker({f"S{n}": value for n, value in enumerate(secrets)})
    assume(masker.active)
    pieces = [
        data.draw(st.sampled_from(_forms(data.draw(st.sampled_from(secrets))))) for _ in around
    ]
    whole = b"".join(text.encode() + piece for text, piece in zip(around, pieces, strict=True))
    stream = masker.stream()
    out, rest = b"", whole
    while rest:
        size = data.draw(st.integers(1, max(1, min(len(rest), 20))))
        out, rest = out + stream.feed(rest[:size]), rest[size:]
    assert out + stream.finish() == masker.data(whole)


@settings(deadline=None)
@given(text=st.text(max_size=60), value=_VALUES)
def test_text_without_the_secret_is_unchanged(text: str, value: str) -> None:
    assume(
        value.strip() not in text
        and Masker({"N": value}).find(text.encode("utf-8", "replace")) == []
    )
    assert Masker({"N": value}).text(text) == text
