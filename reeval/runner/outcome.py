"""What the engine is told about a body that ended: nothing, or the error it ended with."""

from __future__ import annotations

from contextlib import suppress

from reeval.authoring.errors import AttemptAborted, ReevalAssertionError, ReevalCallError
from reeval.authoring.failures import escaped_failures, only_assertions
from reeval.authoring.shown import error_text, shown_error
from reeval.protocol.cuts import cut
from reeval.protocol.messages import WireError
from reeval.runner.body import Body
from reeval.runner.traces import stack_of

MESSAGE_LIMIT = 64 * 1024
"""Characters of an error's message that are passed on."""


def wire_error(body: Body, error: BaseException | None) -> WireError | None:
    """The error for `done`, once the checks that failed with it have been recorded."""
    if error is None:
        return _stray_error(body)
    aborted = body.aborted
    if isinstance(error, AttemptAborted):
        given_up = aborted or error
        return WireError(given_up.name, str(given_up))
    if aborted is not None and type(error).__name__ == "CancelledError":
        return WireError(aborted.name, str(aborted))
    if isinstance(error, ReevalCallError):
        return _wire(error.name, str(error), error)
    if isinstance(error, SystemExit):
        said = f"the eval's body called sys.exit({error.code!r}), which ends only its own attempt"
        return _wire("SystemExit", said, error)
    return _raised(body, error, "")


def _stray_error(body: Body) -> WireError | None:
    """A body that returned fails all the same when a thread or task of its own did."""
    if not body.strays:
        return None
    where, error = body.strays[0]
    return _raised(body, error, f"{where} raised {shown_error(error)}")


def _raised(body: Body, error: BaseException, message: str) -> WireError:
    failures = escaped_failures(error)
    # Once the engine has given the attempt up it has settled its checks.
    with suppress(AttemptAborted):
        for failure in failures:
            body.record(failure)
    if not only_assertions(error):
        return _wire(type(error).__name__, message or error_text(error), error)
    own = [] if isinstance(error, ReevalAssertionError) else failures
    said = "\n".join(f.message or "" for f in own) if own else error_text(error)
    return _wire("AssertionError", message or said, error)


def _wire(name: str, message: str, error: BaseException) -> WireError:
    return WireError(name, cut(message, MESSAGE_LIMIT), stack_of(error))
