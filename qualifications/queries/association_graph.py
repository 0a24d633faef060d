"""Queries of a list's graph. A list that is still being imported, or removed, looks empty to all of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Q, QuerySet

from qualifications.domain.association_files import fold
from qualifications.models import SwowEdge, SwowList, SwowWord

AT_ONCE = 500


@dataclass(frozen=True, kw_only=True)
class EdgeInWords:
    """One edge in words: the cue, the response, and their counts."""

    cue: str
    response: str
    count: int
    total: int

    @property
    def strength(self) -> Fraction:
        return Fraction(self.count, self.total)


def ready_list(name: str) -> SwowList | None:
    return SwowList.objects.filter(name=name, status=SwowList.Status.READY).first()


def words(*, swow: SwowList, texts: Collection[str]) -> dict[str, int]:
    """Rows of those texts that the list knows, by the text as it was given."""
    folded = {text: fold(text) for text in texts}
    wanted = sorted(set(folded.values()))
    found: dict[str, int] = {}
    for start in range(0, len(wanted), AT_ONCE):
        some = _words(swow).filter(text__in=wanted[start : start + AT_ONCE])
        found.update(some.values_list("text", "pk"))
    return {text: found[word] for text, word in folded.items() if word in found}


def words_beginning(*, swow: SwowList, text: str, limit: int) -> Sequence[str]:
    """Words that begin with the text, suggested when a search finds nothing.

    Reads every word of the list once.
    """
    found = _words(swow).filter(text__startswith=fold(text)).order_by("text")
    return list(found.values_list("text", flat=True)[:limit])


def associations_of(*, swow: SwowList, word: str, limit: int) -> Sequence[EdgeInWords]:
    """Responses to the word, the strongest first."""
    edges = SwowEdge.objects.filter(cue__in=_words(swow).filter(text=fold(word)))
    return _read(edges.order_by("-count", "response__text"), limit=limit)


def cues_of(*, swow: SwowList, word: str, limit: int) -> Sequence[EdgeInWords]:
    """Cues to which the word was said, by most people first."""
    edges = SwowEdge.objects.filter(response__in=_words(swow).filter(text=fold(word)))
    return _read(edges.order_by("-count", "cue__text"), limit=limit)


def has_edge(*, swow: SwowList, one: str, other: str) -> bool:
    """Whether there is an edge between two words, in either direction."""
    rows = words(swow=swow, texts=[one, other])
    if len(rows) < len({one, other}):
        return False
    first, second = rows[one], rows[other]
    there, back = Q(cue=first, response=second), Q(cue=second, response=first)
    return SwowEdge.objects.filter(there | back).exists()


def strength(*, swow: SwowList, cue: str, response: str) -> Fraction:
    """Exact share of the answers to the cue that are this response; 0 if nobody gave it."""
    edges = SwowEdge.objects.filter(
        cue__in=_words(swow).filter(text=fold(cue)), response__in=_words(swow).filter(text=fold(response))
    )
    said = _read(edges, limit=1)
    return said[0].strength if said else Fraction(0)


def neighbors(*, swow: SwowList, word: str) -> dict[str, int]:
    """Words with an edge to or from this word, each with the larger count of the two directions."""
    known = _words(swow).filter(text=fold(word))
    said = SwowEdge.objects.filter(cue__in=known).values_list("response__text", "count")
    said_to_it = SwowEdge.objects.filter(response__in=known).values_list("cue__text", "count")
    found: dict[str, int] = {}
    for text, count in (*said, *said_to_it):
        found[text] = max(count, found.get(text, 0))
    return found


def cues(*, swow: SwowList) -> Sequence[tuple[int, str, int]]:
    """Every cue with its row and the total of its answers, in the order of the alphabet's code points.

    The cues are sorted here, since two databases need not agree on any other order.
    """
    rows = _words(swow).filter(counted_total__gt=0)
    found = rows.values_list("pk", "text", "stated_total", "counted_total")
    return sorted(
        ((pk, text, max(stated, counted)) for pk, text, stated, counted in found), key=lambda row: row[1]
    )


def said_to(cue_ids: Collection[int], *, fewest: int) -> list[tuple[int, int, int]]:
    """Cue, response and count of all edges from these cues that at least `fewest` people made."""
    edges = SwowEdge.objects.filter(cue__in=cue_ids, count__gte=fewest)
    return list(edges.values_list("cue_id", "response_id", "count"))


def linked_to(word_ids: Collection[int]) -> dict[int, set[int]]:
    """Rows to or from which each of these words has an edge, by word."""
    found: dict[int, set[int]] = {pk: set() for pk in word_ids}
    for cue, response in SwowEdge.objects.filter(cue__in=word_ids).values_list("cue_id", "response_id"):
        found[cue].add(response)
    for cue, response in SwowEdge.objects.filter(response__in=word_ids).values_list("cue_id", "response_id"):
        found[response].add(cue)
    return found


def _words(swow: SwowList) -> QuerySet[SwowWord]:
    return SwowWord.objects.filter(list=swow, list__status=SwowList.Status.READY)


def _read(edges: QuerySet[SwowEdge], *, limit: int) -> Sequence[EdgeInWords]:
    rows = edges.values_list(
        "cue__text", "response__text", "count", "cue__stated_total", "cue__counted_total"
    )[:limit]
    return [
        EdgeInWords(cue=cue, response=response, count=count, total=max(stated, counted))
        for cue, response, count, stated, counted in rows
    ]
