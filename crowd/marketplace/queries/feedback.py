"""The requester's feedback on a piece of work: words, and the page where the worker asks about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from crowd.marketplace.models import Assignment
from crowd.marketplace.questions.external import is_framable

SEPARATOR = " · "


@dataclass(frozen=True, kw_only=True)
class Feedback:
    words: str
    ask_url: str = ""


def read_feedback(assignment: Assignment) -> Feedback:
    """Read the feedback. A last part that ends with an address of the question's own site becomes a link.

    Only there: the worker has seen that site in the frame, and any other is the requester's word alone.
    """
    words, _, last = assignment.feedback.rstrip().rpartition(SEPARATOR)
    address = last.rpartition(" ")[2]
    if is_framable(address) and _site(address) == _site(assignment.hit.external_url):
        return Feedback(words=words, ask_url=address)
    return Feedback(words=assignment.feedback)


def newest_asked(works: Iterable[Assignment]) -> dict[str, str]:
    """Return each requester's page of the first of these works that has one, by the requester's name."""
    asked = ((work.hit.hit_type.requester.name, read_feedback(work).ask_url) for work in works)
    pages: dict[str, str] = {}
    for name, url in asked:
        if url:
            pages.setdefault(name, url)
    return pages


def _site(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc
