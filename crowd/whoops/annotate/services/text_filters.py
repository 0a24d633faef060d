"""Filters that read annotators' texts. What a filter finds is held back until a person has decided.

The word list always reads them. A study may let a second filter read them, too: one of those registered here.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar

import structlog

from crowd.pictures.domain import words_of
from crowd.pictures.profanity import is_profane, listed_words
from crowd.whoops.annotate.domain.annotation_texts import TEXTS
from crowd.whoops.annotate.domain.disguised_words import find_disguised
from crowd.whoops.models import Project

DIGEST = 8
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that a filter objects to: as it is written, and what the filter takes it for."""

    written: str
    stands_for: str


class TextFilter(ABC):
    """A filter of texts. `version` changes with whatever could change a verdict: it is kept with each.

    `find` runs in the transaction that stores an annotation: it asks no service and no file that may be away.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    about: ClassVar[str]

    @property
    @abstractmethod
    def version(self) -> str: ...

    @abstractmethod
    def find(self, text: str) -> Sequence[Finding]: ...


class WordList(TextFilter):
    key = "words"
    name = "Word list"
    about = "Coarse words, as a list has them."

    @property
    def version(self) -> str:
        return _list_version()

    def find(self, text: str) -> Sequence[Finding]:
        return [Finding(written=word, stands_for=word) for word in words_of(text) if is_profane(word)]


class DisguisedWords(TextFilter):
    key = "disguised"
    name = "Disguised words"
    about = "Words of the list that are disguised: sh1t, s h i t, shiiit, sh*t, in letters that look alike."
    rules = 1

    @property
    def version(self) -> str:
        return f"{self.rules}-{_list_version()}"

    def find(self, text: str) -> Sequence[Finding]:
        found = find_disguised(text, listed_words())
        return [Finding(written=written, stands_for=word) for written, word in found]


FIRST: TextFilter = WordList()
_second: dict[str, TextFilter] = {}


def register(text_filter: TextFilter) -> None:
    """Register a second filter, which studies may then choose. Called from an AppConfig.ready."""
    _second[text_filter.key] = text_filter


def second_filters() -> Sequence[TextFilter]:
    return list(_second.values())


def filters_of(project: Project) -> Sequence[TextFilter]:
    """The filters that read a study's annotations now."""
    if project.second_filter and project.second_filter not in _second:
        log.error("whoops.text_filter_missing", filter=project.second_filter, project=project.pk)
    second = _second.get(project.second_filter)
    return [FIRST, second] if second else [FIRST]


def read_texts(texts: Mapping[str, str], filters: Sequence[TextFilter]) -> list[dict[str, Any]]:
    """The verdict of each filter: its name, its version, and what it found in which text, each once."""
    return [
        {
            "filter": one.key,
            "name": one.name,
            "version": one.version,
            "found": [
                {"text": entry, "written": finding.written, "stands_for": finding.stands_for}
                for entry in TEXTS
                for finding in dict.fromkeys(one.find(texts[entry]))
            ],
        }
        for one in filters
    ]


def flags_of(verdicts: Sequence[Mapping[str, Any]]) -> list[str]:
    """What any filter has found, each once, as "caption: word": a word may describe harm, or do it."""
    found = (f"{one['text']}: {one['written']}" for verdict in verdicts for one in verdict["found"])
    return list(dict.fromkeys(found))


def _list_version() -> str:
    return sha256("\n".join(sorted(listed_words())).encode()).hexdigest()[:DIGEST]


register(DisguisedWords())
