"""Concepts of an association list that have no fit picture in the pool, and what is on its way for them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from crowd.pictures import domain
from crowd.pictures.models import Picture, Request
from crowd.pictures.profanity import is_profane
from qualifications.domain.association_files import fold
from qualifications.models import SwowList
from qualifications.queries import association_graph as graph

Status = Picture.Status
States = Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class WantedConcept:
    """A cue without a fit picture. `states` counts the pictures that it has, `coming` those of imports."""

    word: str
    answers: int
    states: States = field(default_factory=dict)
    coming: int = 0

    @property
    def is_awaited(self) -> bool:
        """Whether a picture of it may become fit without anybody bringing another one."""
        return bool(self.coming or self.states.get(Status.WAITING))


@dataclass(frozen=True, kw_only=True)
class WantedConcepts:
    """The concepts that still need a picture. For the `impossible` words of the list none is possible."""

    concepts: Sequence[WantedConcept]
    pictured: int
    impossible: int

    @property
    def total(self) -> int:
        return len(self.concepts) + self.pictured


def ready_lists() -> QuerySet[SwowList]:
    return SwowList.objects.filter(status=SwowList.Status.READY).order_by("name")


def wanted_concepts(swow: SwowList) -> WantedConcepts:
    """Read the list and the pool once each. Words are compared as the list compares its own."""
    states, coming = _states_of_concepts(), _coming()
    concepts, pictured, impossible = [], 0, 0
    for _, word, answers in graph.cues(swow=swow):
        here: States = states.get(word, {})
        if here.get(Status.FIT):
            pictured += 1
        elif _can_have_a_picture(word):
            concepts.append(
                WantedConcept(word=word, answers=answers, states=here, coming=coming.get(word, 0))
            )
        else:
            impossible += 1
    return WantedConcepts(concepts=concepts, pictured=pictured, impossible=impossible)


def _states_of_concepts() -> dict[str, Counter[str]]:
    """Number of pictures of the pool in each state, by folded concept."""
    rows = Picture.objects.filter(in_pool=True).values_list("concept", "status").annotate(Count("pk"))
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for concept, status, count in rows.order_by():
        found[fold(concept)][status] += count
    return found


def _coming() -> Counter[str]:
    """Number of pictures that running imports are still bringing, by folded concept."""
    waiting = Request.objects.filter(status=Request.Status.WAITING, importing__begun_at__isnull=False)
    found: Counter[str] = Counter()
    for concept, count in waiting.values_list("concept").annotate(Count("pk")).order_by():
        found[fold(concept)] += count
    return found


def _can_have_a_picture(word: str) -> bool:
    """Whether an import takes this concept: words of letters, short enough, and not coarse."""
    is_short = len(word) <= domain.LONGEST_CONCEPT
    return is_short and bool(domain.words_of(word)) and not is_profane(word)
