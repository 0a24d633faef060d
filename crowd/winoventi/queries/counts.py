"""Counts of a project's pairs, and of what became of the others."""

from collections import Counter
from typing import Any

from django.db.models import Count, Q

from crowd.winoventi.models import Alternative, Choice, Generic, Premise, Project, Prompt
from hits.studies.models import Study

SETTLED = (Premise.State.VALID, Premise.State.FAILED)


def count_pairs(project: Project) -> dict[str, Any]:
    """The figures of the procedure, from posted pairs to people's choices."""
    generics = project.generics.aggregate(
        pairs_posted=Count("pk", filter=Q(state__in=Generic.POSTED_ONES)),
        nonsense=Count("pk", filter=Q(state=Generic.State.NONSENSE)),
    )
    alternatives = project.alternatives.aggregate(
        exceptions=Count("pk", filter=Q(state__in=Alternative.STANDING)),
        passed_filter=Count("pk", filter=Q(state=Alternative.State.PASSED)),
    )
    valid = Q(state=Premise.State.VALID)
    premises = project.premises.aggregate(
        premises=Count("pk", filter=~Q(state=Premise.State.WITHDRAWN)),
        well_formed_premises=Count("pk", filter=Q(state__in=Premise.WELL_FORMED)),
        validated=Count("pk", filter=Q(state__in=SETTLED)),
        failed_validation=Count("pk", filter=Q(state=Premise.State.FAILED)),
        valid_pairs=Count("pk", filter=valid),
        entities=Count("alternative__generic__noun__word", filter=valid, distinct=True),
        generics=Count("alternative__generic__word", filter=valid, distinct=True),
    )
    return {**generics, **alternatives, **premises, **_human(project)}


def _human(project: Project) -> dict[str, list[int]]:
    """Right choices and all choices about valid pairs, by kind of prompt."""
    choices = Choice.objects.filter(
        prompt__premise__project=project, prompt__premise__state=Premise.State.VALID
    )
    counted = choices.values("prompt__kind").annotate(
        right=Count("pk", filter=Q(is_right=True)), all=Count("pk")
    )
    found = {row["prompt__kind"]: [row["right"], row["all"]] for row in counted.order_by()}
    return {f"human_{kind}": found.get(kind, [0, 0]) for kind in Prompt.Kind.values}


def validities_of(study: Study) -> list[bool]:
    """Whether each validated pair of a study is valid."""
    states = Premise.objects.filter(project__study=study, state__in=SETTLED).order_by()
    return [state == Premise.State.VALID for state in states.values_list("state", flat=True)]


def hits_of_prompts(study: Study) -> list[bool]:
    """Whether most people complete each answered prompt of a valid pair as meant."""
    valid = Prompt.objects.filter(
        premise__project__study=study, premise__state=Premise.State.VALID, is_answered=True
    )
    right = Count("choices", filter=Q(choices__is_right=True))
    rows = valid.order_by().annotate(right=right, of=Count("choices")).values_list("right", "of")
    return [2 * right > of for right, of in rows if of]


def judged_times(project: Project) -> dict[int, int]:
    """Number of well-formed premises by their number of judgements."""
    well_formed = project.premises.filter(state__in=Premise.WELL_FORMED)
    judged = well_formed.annotate(times=Count("judgements")).order_by()
    return Counter(judged.values_list("times", flat=True))
