from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.winogavil.annotation.models import Annotation, Judgement, Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.services.final_associations import finalize_associations
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import keep_out
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.winogavil.annotation.annotators import (
    annotate,
    begin,
    draw,
    make_selected,
    open_batch,
    solve,
)
from tests.factories import NOW

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def asked(study: Study, kind: Kind, **changes: Any) -> Annotation:
    make_selected(study, **changes)
    draw(study, kind)
    return Annotation.objects.order_by("pk")[0]


@pytest.mark.parametrize(
    ("answers", "labels"),
    [
        pytest.param(("colors", "colors", "colors"), ["colors"], id="all-agree"),
        pytest.param(("activity", "colors", "activity"), ["activity"], id="two-agree"),
        pytest.param(("activity", "colors", "counting"), [], id="discarded"),
    ],
)
def test_type_is_what_two_of_three_say(study: Study, answers: tuple[str, ...], labels: list[str]) -> None:
    annotation = asked(study, Kind.TYPES)
    batch = open_batch(study, Kind.TYPES)

    annotate(batch, *[[answer] for answer in answers[:2]])
    early = finalize_annotations(now=NOW)
    annotate(batch, [answers[2]])
    final = [finalize_annotations(now=LATER) for _ in range(2)]

    annotation.refresh_from_db()
    assert (early, final) == (0, [2, 0])
    assert (annotation.labels, annotation.final_at) == (labels, LATER)
    given = annotation.judgements.order_by("pk").values_list("given", flat=True)
    assert list(given) == [[answer] for answer in answers]


def test_skills_are_all_that_two_of_three_name(study: Study) -> None:
    annotation = asked(study, Kind.SKILLS)

    annotate(open_batch(study, Kind.SKILLS), ["attribute", "use_of"], ["use_of", "humor"], ["humor"])
    finalize_annotations(now=NOW)

    annotation.refresh_from_db()
    assert annotation.labels == ["humor", "use_of"]


def test_baseline_is_the_exact_mean_and_leaves_the_association_alone(study: Study) -> None:
    annotation = asked(study, Kind.BASELINE, size=6, chosen=3)
    before = Association.objects.values().get(), list(Solution.objects.values())

    solve(open_batch(study, Kind.BASELINE), (0, 1, 2), (0, 1, 5), (3, 4, 5))
    judged = judge_submitted(now=NOW)
    finalize_annotations(now=NOW)
    finalize_associations(now=LATER)

    annotation.refresh_from_db()
    assert annotation.mean == (1 + Fraction(1, 2) + 0) / 3
    assert annotation.labels == []
    picked = [row.given for row in annotation.judgements.order_by("pk")]
    assert picked == [[0, 1, 2], [0, 1, 5], [3, 4, 5]]
    assert (Association.objects.values().get(), list(Solution.objects.values())) == before
    # Scores that may be paid for are recorded, under a name of their own.
    assert judged == 3
    scores = Score.objects.order_by("pk")
    assert {(score.item, score.measure) for score in scores} == {(annotation.item, "baseline")}
    assert [score.value for score in scores] == [1, Fraction(1, 2), 0]


def test_labels_are_judged_at_once_and_score_nothing(study: Study) -> None:
    asked(study, Kind.SKILLS)
    [work] = annotate(open_batch(study, Kind.SKILLS), ["none"])

    judged = judge_submitted(now=NOW)

    work.refresh_from_db()
    assert (judged, work.judged_at, Score.objects.count()) == (1, NOW, 0)


def test_saved_work_counts_only_once_the_provider_has_it(study: Study) -> None:
    annotation = asked(study, Kind.SKILLS)
    works = annotate(open_batch(study, Kind.SKILLS), ["humor"], ["humor"], ["humor"])
    Assignment.objects.filter(pk=works[2].pk).update(status="saved", submitted_at=None)

    early = finalize_annotations(now=NOW)
    Assignment.objects.filter(pk=works[2].pk).update(status="submitted", submitted_at=NOW)

    assert (early, finalize_annotations(now=LATER)) == (0, 1)
    annotation.refresh_from_db()
    assert annotation.final_at == LATER


@pytest.mark.parametrize("kind", [Kind.SKILLS, Kind.BASELINE])
def test_answer_that_is_kept_out_reopens_it_and_somebody_else_is_asked(study: Study, kind: Kind) -> None:
    annotation = asked(study, kind)
    batch = open_batch(study, kind)
    if kind == Kind.BASELINE:
        works = solve(batch, (0, 1), (0, 1), (3, 4))
    else:
        works = annotate(batch, ["humor"], ["none"], ["humor"])
    finalize_annotations(now=NOW)

    keep_out(works[2], now=NOW)
    reopened = finalize_annotations(now=NOW)

    annotation.refresh_from_db()
    assert (reopened, annotation.final_at, annotation.mean, annotation.labels) == (0, None, None, [])
    assert (Judgement.objects.count(), annotation.item.wanted) == (0, 1)
    # A worker who was kept out is not asked again.
    assert begin(batch, worker=works[2].worker)[1] == []

    if kind == Kind.BASELINE:
        solve(batch, (0, 1))
    else:
        annotate(batch, ["none"])
    assert finalize_annotations(now=LATER) == 1
    annotation.refresh_from_db()
    assert annotation.mean == (1 if kind == Kind.BASELINE else None)
    assert annotation.labels == ([] if kind == Kind.BASELINE else ["none"])


def test_reopening_touches_no_association_and_associations_no_annotation(study: Study) -> None:
    annotation = asked(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["humor"], ["humor"], ["humor"])
    finalize_annotations(now=NOW)
    Item.objects.filter(pk=annotation.association.item_id).update(recount=True)

    finalize_annotations(now=LATER)

    assert Association.objects.get().final_at == NOW
    annotation.refresh_from_db()
    assert annotation.final_at == NOW
    assert Item.objects.get(pk=annotation.association.item_id).recount


def test_sweep_asks_the_same_few_queries_however_much_is_final(study: Study) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            finalize_annotations(now=NOW)
        return len(caught)

    asked(study, Kind.SKILLS)
    idle = queries()
    for _ in range(4):
        make_selected(study)
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["humor"], ["humor"], ["humor"])
    queries()

    assert Annotation.objects.filter(final_at=NOW).count() == 5
    assert queries() == idle
