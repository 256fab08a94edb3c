"""A check of something that takes a while is polled, so that it never depends on luck."""

from reeval import SyncAttemptContext, evaluate, expect, fake_harness

starter = fake_harness(
    script=[[{"exec": "(sleep 0.3; echo ready > status.txt) &"}, {"reply": "It is starting."}]]
)


@evaluate("starts a slow job", {"harness": starter})
def starts(c: SyncAttemptContext) -> None:
    turn = c.send("Start the job. It writes ready to status.txt when it is up.")

    expect(turn.text).to_contain("starting")
    expect.poll(lambda: c.read_file("status.txt"), timeout=10).to_be("ready\n")
