"""The entries of a page, and the faults that each can have."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from crowd.pictures.profanity import is_profane
from crowd.questions.domain import NO, YES, is_unfit, trim
from hits.core.errors import InvalidAnswer

YES_OR_NO: Sequence[Mapping[str, str | Promise]] = (
    {"value": YES, "words": gettext_lazy("Yes")},
    {"value": NO, "words": gettext_lazy("No")},
)
NOT_KEPT = gettext_noop("There is a character in this that cannot be kept. Please type it again.")
LONGEST_UNREAD = 200

Texts = Mapping[str, str]
# The labels of entries as their page names them; an entry without one needs no name.
Labels = Mapping[str, str | Promise]


@dataclass(frozen=True, kw_only=True)
class Look:
    """Faults by entry; and odd things by part of the page, which are allowed, and mentioned once."""

    faults: dict[str, str] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault as the page reports it: in which question, and where."""

    question: int
    entry: str
    field: str
    words: str


class Faulty(InvalidAnswer):
    """Raised with every faulty entry, or with what the worker should look at once more."""

    def __init__(self, looks: Mapping[str, Look], *, is_refused: bool, labels: Labels) -> None:
        self.looks = looks
        self.labels = labels
        self.is_refused = is_refused
        super().__init__(" ".join(fault.words for fault in self.told()))

    def told(self) -> Iterator[Fault]:
        for number, (name, look) in enumerate(self.looks.items(), start=1):
            found = look.faults if self.is_refused else look.odd
            for entry, words in found.items():
                label = self.labels.get(entry)
                told = f"{label}: {words}" if label else words
                told = told if len(self.looks) == 1 else _in_question(number, told)
                yield Fault(question=number, entry=entry, field=f"{name}-{entry}", words=told)


def read_form(form: QueryDict, *, name: str, entries: Sequence[str], many: Collection[str] = ()) -> Texts:
    """Read the entries as typed, without outer spaces; a missing one is "".

    Raises InvalidAnswer if an entry was sent twice. In the entries named in `many` several boxes may be
    ticked, each once.
    """
    texts = {}
    for entry in entries:
        sent = form.getlist(f"{name}-{entry}")
        if len(sent) > (len(set(sent)) if entry in many else 1):
            raise InvalidAnswer(_("One entry was sent twice. Nothing was recorded. Please reload the page."))
        texts[entry] = trim(" ".join(sent))
    return texts


def read_texts(stored: Any, *, entries: Sequence[str]) -> Texts:
    """Read the entries from a provider's answer. Raises InvalidAnswer for unknown entries, or no texts."""
    if not isinstance(stored, Mapping) or not set(stored) <= set(entries):
        raise InvalidAnswer(_("The answer has entries that are not on this page. Nothing was recorded."))
    if not all(isinstance(text, str) for text in stored.values()):
        raise InvalidAnswer(_("Every entry must be text. Nothing was recorded."))
    return {entry: trim(stored.get(entry, "")) for entry in entries}


def fault_of_text(text: str) -> str:
    """The fault of a typed text; empty if nothing is wrong."""
    if is_unfit(text):
        return _(NOT_KEPT)
    if is_profane(text):
        return _("This is too coarse to be shown to others. Find other words.")
    return ""


def fault_of_unread(text: str) -> str:
    """The fault of an entry that counts for nothing, but is kept with the rest of its answer."""
    if len(text) > LONGEST_UNREAD:
        return _("This is too long. Leave it empty, or say it in fewer words.")
    return _(NOT_KEPT) if is_unfit(text) else ""


def fault_of_pick(text: str, *, options: Sequence[str] = (YES, NO)) -> str:
    if not text:
        return _("Choose one of the answers.")
    return "" if text in options else _("This answer is not on the page. Choose one that is.")


def _in_question(number: int, words: str) -> str:
    return _("Question %(number)d. %(words)s") % {"number": number, "words": words}
