"""The run record's JSON as types. It is read and written as it is: typing it costs nothing.

Names are the record's own. A field that may be missing is `NotRequired`; one that is unknown is
None. Times of day are ISO 8601 in UTC, `…Ms` is milliseconds, rates are 0–1 and sizes bytes.
"""

# One door to all of the record's types; each part's module says what they are.
from reeval.record.schema_attempt import *  # noqa: F403
from reeval.record.schema_eval import *  # noqa: F403
from reeval.record.schema_run import *  # noqa: F403
