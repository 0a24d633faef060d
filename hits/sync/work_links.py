"""The page on which a worker reads and asks about submitted work; whoever has such a page registers it.

A worker may have no HIT left from whose frame a link could lead there, so that it travels in the feedback
that the provider shows with the work.
"""

from collections.abc import Callable

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from hits.work.models.assignments import Assignment

# The most characters of feedback that the Requester API takes.
LONGEST = 1024
# A line break would be refused: the API takes no control characters.
SEPARATOR = " · "
WriteLink = Callable[[Assignment], str]
_writers: list[WriteLink] = []


def register(write: WriteLink) -> None:
    """Register who writes the links. Called from its AppConfig.ready."""
    _writers[:] = [write]


def feedback_on(assignment: Assignment, reason: str = "") -> str:
    """Return the feedback: the reason, cut where it leaves no room, and the link."""
    words = [_("Ask about it: %(link)s") % {"link": write(assignment)} for write in _writers]
    room = LONGEST - sum(len(one) + len(SEPARATOR) for one in words)
    return SEPARATOR.join(filter(None, [Truncator(reason).chars(room), *words]))
