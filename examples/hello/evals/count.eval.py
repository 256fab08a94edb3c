"""The same task for several inputs: one eval a case, pooled into a family."""

from reeval import SyncAttemptContext, evaluate_each, expect, fake_harness

counter = fake_harness(
    script=[[{"exec": "wc -w < input.txt | tr -d ' ' > count.txt"}, {"reply": "Counted."}]]
)

CASES = [
    {"kind": "no words", "text": "", "words": 0},
    {"kind": "one line", "text": "to be or not to be\n", "words": 6},
]


@evaluate_each(CASES, "counts $kind", {"harness": counter})
def counts(c: SyncAttemptContext, case: dict) -> None:
    c.write_file("input.txt", case["text"])
    turn = c.send("Count the words in input.txt and write the number to count.txt.")

    expect(turn).to_have_run("wc -w")
    assert int(c.read_file("count.txt") or "-1") == case["words"]
