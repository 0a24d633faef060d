"""What each family says of its main figure agrees with its own tables."""

from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.whoops import domain as whoops
from crowd.whoops.judge.queries.judgements import judged
from crowd.winogavil.annotation.domain import BASELINE
from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.domain import SOLVE
from crowd.winogavil.humans import baseline_of
from crowd.winoground.domain import VALIDATE
from crowd.winoground.models import Project
from crowd.winoventi import domain as winoventi
from crowd.winoventi.models import Choice, Premise, Prompt
from crowd.winoventi.queries import count_pairs
from hits import families
from hits.families import StatesMainFigure
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.whoops.making_results import Crowd, Variant, ask, make_results
from tests.crowd.winogavil.annotation.annotators import draw, make_selected, open_batch, solve
from tests.crowd.winogavil.releases.data import make_final
from tests.crowd.winoground.making_scores import make_answered
from tests.crowd.winoground.making_scores import make_project as make_matching
from tests.crowd.winoventi.rows import make_pair
from tests.crowd.winoventi.rows import make_project as make_procedure
from tests.factories import NOW, make_study, make_worker

pytestmark = pytest.mark.django_db


def values_of(task: str, study: Study) -> list[float]:
    found: Any = families.get(task)
    return sorted(found.final_values(study))


def test_tasks_that_state_a_main_figure() -> None:
    stated = {key for key, task in families.registered().items() if isinstance(task, StatesMainFigure)}

    assert stated == {
        SOLVE, BASELINE, VALIDATE, winoventi.VALIDATE, winoventi.CHOOSE, whoops.IDENTIFY,
    }  # fmt: skip


def test_associations_count_by_the_mean_of_their_solvers() -> None:
    study = make_study()
    make_final(study, picks=((0, 1), (0, 1), (0, 1)))
    make_final(study, picks=((0, 1), (0, 2), (2, 3)))
    pulled = make_final(study, picks=((0, 1),))
    Item.objects.filter(pk=pulled.item_id).update(pulled_at=NOW)
    make_final(study, source="swow")
    make_final(make_study())

    # Of the second, the solvers found 1, 1/3 and 0.
    assert values_of(SOLVE, study) == pytest.approx([4 / 9, 1])


def test_newcomers_count_as_in_the_baseline() -> None:
    study = make_study()
    for size in (5, 6, 12):
        make_selected(study, size=size)
    draw(study, Kind.BASELINE)
    solve(open_batch(study, Kind.BASELINE), (0, 1), (0, 4), (0, 4))
    finalize_annotations(now=NOW)

    found = values_of(BASELINE, study)

    baseline = baseline_of(study)
    assert baseline
    assert len(found) == baseline.count() == 3
    assert fmean(found) == pytest.approx(float(baseline.mean() or 0))


def test_a_pair_is_right_if_most_say_what_it_is() -> None:
    project = make_matching(answers_wanted=4)
    make_answered(project, ((4, 4), (0, 4), (2, 4), (3, 4)), ((4, 4), (3, 4), (0, 3), (2, 4)))

    # A tie is not right, and the pair with three answers is not final.
    assert values_of(VALIDATE, project.study) == [False, False, False, True, True, True, True]
    assert values_of(VALIDATE, make_study()) == []


def test_pairs_are_valid_and_texts_completed_as_the_procedure_counts_them() -> None:
    project = make_procedure("lemon", "bridge", "soup")
    pairs = [make_pair(project, noun) for noun in ("lemon", "bridge", "soup")]
    Premise.objects.filter(pk=pairs[2].pk).update(state=Premise.State.FAILED)
    for number, kind in enumerate(winoventi.KINDS):
        prompt = Prompt.objects.create(premise=pairs[0], kind=kind, is_answered=True)
        Choice.objects.create(prompt=prompt, worker=make_worker(), word="w", is_right=bool(number))
    Prompt.objects.create(premise=pairs[1], kind=winoventi.GENERIC)

    counts = count_pairs(project)

    assert values_of(winoventi.VALIDATE, project.study) == [False, True, True]
    assert (counts["valid_pairs"], counts["validated"]) == (2, 3)
    assert values_of(winoventi.CHOOSE, project.study) == [False, True]
    assert (counts["human_generic"], counts["human_exception"]) == ([0, 1], [1, 1])


def test_images_are_identified_as_the_results_have_it() -> None:
    project, images = make_results(images=20)
    options = [
        (ask(image, whoops.IDENTIFY, offers=(("", label),), variant=variant)[0], label)
        for image in images
        for variant, label in ((Variant.WEIRD, True), (Variant.NORMAL, False))
    ]
    Crowd(project, people=3, right=0.7, seed=4).vote(options)
    ask(images[0], whoops.IDENTIFY, offers=(("", True),))

    found = values_of(whoops.IDENTIFY, project.study)

    share = judged(project, whoops.IDENTIFY).agreement().right
    assert (sum(found), len(found)) == (share.right, share.of)
    assert 0 < sum(found) < len(found) == 40
    assert values_of(whoops.IDENTIFY, make_study()) == []


def _ask_of_pairs(study: Study) -> None:
    project = Project.objects.filter(study=study).first() or make_matching(study=study, answers_wanted=1)
    make_answered(project, ((1, 1),) * 4)


@pytest.mark.parametrize(("task", "add", "each"), [(SOLVE, make_final, 1), (VALIDATE, _ask_of_pairs, 4)])
def test_as_many_queries_for_many_items_as_for_few(
    task: str, add: Callable[[Study], object], each: int
) -> None:
    study = make_study()
    add(study)
    with CaptureQueriesContext(connection) as few:
        values_of(task, study)
    for _ in range(4):
        add(study)

    with CaptureQueriesContext(connection) as many:
        found = values_of(task, study)

    assert len(found) == 5 * each
    assert len(many) == len(few)
