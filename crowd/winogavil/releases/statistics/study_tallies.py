"""A study's tallies from its rows: two readings in step, and one for the cues, none of them held whole."""

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby, starmap
from operator import itemgetter
from typing import Any

from django.db.models import Count, Q

from crowd.winogavil.models import Solution
from crowd.winogavil.queries import final, of_study
from crowd.winogavil.queries.associations import Rows
from crowd.winogavil.releases.statistics.concreteness import Concreteness, SolvedCue
from crowd.winogavil.releases.statistics.tallies import Answer, Fact, Tallies, add_set, is_solved, joined
from hits.studies.models import Study

AT_ONCE = 5_000


def count(study: Study, *, sources: Collection[str], threshold: int) -> Tallies:
    """Tallies of the associations that are not pulled; pulled ones are no part of the data."""
    rows = of_study(study, sources=sources).filter(item__pulled_at=None)
    tallies = Tallies(threshold=threshold)
    for fact, answers in joined(_facts(rows), _answers(rows)):
        tallies.add(fact, answers)
    for _, some in groupby(_cues(rows), key=itemgetter(0)):
        add_set(
            tallies.cues,
            [(author, cue, is_solved(*result, threshold=threshold)) for _, author, cue, *result in some],
        )
    return tallies


def count_concreteness(
    study: Study, *, sources: Collection[str], ratings: Mapping[str, float]
) -> Concreteness:
    """Tallies of all final associations, selected or not: selection goes by how well people solve them."""
    rows = of_study(study, sources=sources).filter(item__pulled_at=None)
    found = Concreteness(ratings=ratings)
    names = ("cue", "model_score", "solvers_numerator", "solvers_denominator")
    solved = final(rows).filter(solvers_denominator__gt=0).order_by("pk").values_list(*names)
    for one in starmap(SolvedCue, solved.iterator(AT_ONCE)):
        found.add(one)
    return found


def _facts(rows: Rows) -> Iterator[Fact]:
    shaped = rows.annotate(size=Count("places"), k=Count("places", filter=Q(places__chosen=True)))
    names = (
        "pk", "item__author", "model_score", "solvers_numerator", "solvers_denominator", "final_at", "size",
        "k",
    )  # fmt: skip
    return starmap(Fact, shaped.order_by("pk").values_list(*names).iterator(AT_ONCE))


def _answers(rows: Rows) -> Iterator[Answer]:
    solutions = Solution.objects.filter(association__in=rows.order_by().values("pk"))
    names = ("association", "worker", "picked", "numerator", "denominator")
    return starmap(Answer, solutions.order_by("association", "pk").values_list(*names).iterator(AT_ONCE))


def _cues(rows: Rows) -> Iterator[tuple[Any, ...]]:
    names = ("set_key", "item__author", "cue", "final_at", "solvers_numerator", "solvers_denominator")
    return rows.order_by("set_key", "pk").values_list(*names).iterator(AT_ONCE)
