"""Worth of turns at this moment."""

from fractions import Fraction

from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.winogavil.models import Association, CueReport, Solution
from crowd.winogavil.play import domain
from crowd.winogavil.play.domain import TurnWorth
from crowd.winogavil.play.models import Turn
from hits.work.models.assignments import Assignment


def is_final() -> Q:
    """Condition for turns whose word or solution is final and part of the data."""
    made = Association.objects.filter(
        item__rival_query__assignment=OuterRef("assignment"), final_at__isnull=False, asked_at__isnull=False
    )
    creates = Q(Exists(made), role=Turn.Role.CREATE)
    solves = Q(Exists(Solution.objects.filter(assignment=OuterRef("assignment"))), role=Turn.Role.SOLVE)
    return (creates | solves) & is_fit()


def is_fit() -> Q:
    """Condition for turns whose work was not taken out of the data, and whose word was not found unfit."""
    unfit = CueReport.objects.filter(
        association__item__rival_query__assignment=OuterRef("assignment"), status=CueReport.Status.UPHELD
    )
    disowned = Q(assignment__kept_out=True) | Q(assignment__status=Assignment.Status.REJECTED)
    return (~Q(Exists(unfit)) | ~Q(role=Turn.Role.CREATE)) & ~disowned


def worth_of(turns: QuerySet[Turn]) -> dict[int, TurnWorth]:
    """Worth of the turns that are final, by turn, in three queries."""
    found: dict[int, TurnWorth] = {}
    cues = Association.objects.filter(
        item__rival_query__assignment__turn__in=turns.filter(role=Turn.Role.CREATE), final_at__isnull=False
    )
    turns_of = dict(turns.values_list("assignment", "pk"))
    for association in cues.select_related("item__rival_query"):
        turn = turns_of[association.item.rival_query.assignment_id or 0]
        fool, solvable = association.fool_score, association.solvers_mean
        if fool is not None and solvable is not None:
            found[turn] = found.get(turn, TurnWorth()) + domain.worth_of_cue(fool=fool, solvable=solvable)
    solved = Solution.objects.filter(assignment__turn__in=turns.filter(role=Turn.Role.SOLVE))
    for turn, numerator, denominator in solved.values_list("assignment__turn", "numerator", "denominator"):
        found[turn] = found.get(turn, TurnWorth()) + domain.worth_of_solve(Fraction(numerator, denominator))
    return found
