"""The capped output: what is kept, what is counted, where it is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reeval.sandbox.output import CappedOutput


def collected(limit: int, chunks: list[bytes]) -> str:
    output = CappedOutput(limit)
    for chunk in chunks:
        output.add(chunk)
    return output.text()


@given(st.integers(0, 50), st.lists(st.binary(max_size=30)))
def test_head_and_tail_are_kept_and_the_rest_is_counted(limit: int, chunks: list[bytes]) -> None:
    everything = b"".join(b.translate(bytes(i % 128 for i in range(256))) for b in chunks)
    shown = collected(limit, [everything[i : i + 7] for i in range(0, len(everything), 7)])
    if len(everything) <= limit:
        assert shown == everything.decode()
        return
    head, tail = (limit + 1) // 2, limit // 2
    missing = len(everything) - limit
    assert shown == (
        everything[:head].decode()
        + f"\n… {missing} bytes left out …\n"
        + everything[len(everything) - tail :].decode()
    )


@given(st.integers(4, 40), st.text(alphabet="aé…😀", min_size=30, max_size=60))
def test_no_character_is_cut_in_half(limit: int, text: str) -> None:
    shown = collected(limit, [text.encode()])
    if len(text.encode()) > limit:
        head, said, tail = shown.split("\n")
        missing = int(said.split()[1])
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len((head + tail).encode()) + missing == len(text.encode())
        assert len((head + tail).encode()) <= limit
    else:
        assert shown == text
