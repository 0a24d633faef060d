"""Statistics of a study's annotations, compared with counts made by hand."""

from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.queries.rows import header_of, rows_of
from crowd.winogavil.annotation.queries.statistics import Progress, figures_of
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.humans import Baseline, baseline_of
from crowd.winogavil.models import Association, Place, Solution
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.annotation.annotators import annotate, draw, make_selected, open_batch, solve
from tests.factories import NOW, make_study

pytestmark = pytest.mark.django_db


def test_nothing_drawn_has_no_figures(study: Study) -> None:
    figures = figures_of(study)

    assert set(figures.progress.values()) == {Progress()}
    assert (figures.types.count, figures.types.agreement, figures.types.kappa) == (0, None, None)
    assert [(row.group, row.count, row.mean) for row in figures.baseline] == [
        ("5 & 6", 0, None),
        ("10 & 12", 0, None),
        ("all", 0, None),
    ]
    assert baseline_of(study) is None


def test_progress_counts_what_is_asked_and_wanted(study: Study) -> None:
    for _ in range(2):
        make_selected(study)
    draw(study, Kind.SKILLS)
    batch = open_batch(study, Kind.SKILLS)
    batch.items_per_assignment = 1
    batch.save()
    annotate(batch, ["humor"])
    annotate(batch, ["humor"], ["humor"])
    finalize_annotations(now=NOW)

    assert figures_of(study).progress == {
        "types": Progress(),
        "skills": Progress(asked=2, final=1, answers_wanted=3),
        "baseline": Progress(),
    }


def test_types_are_counted_with_shares_and_with_what_model_and_people_found(study: Study) -> None:
    association = make_selected(study, size=6, chosen=3)
    # The model finds the first of the three; one of the three solvers misses the third.
    Place.objects.filter(association=association).update(predicted=False)
    Place.objects.filter(association=association, position=0).update(predicted=True)
    one = Solution.objects.filter(association=association).order_by("pk")[0]
    Solution.objects.filter(pk=one.pk).update(picked=[0, 1, 5])
    draw(study, Kind.TYPES)
    by_position = {0: "colors", 1: "colors", 2: "activity"}
    answers = dict(Annotation.objects.values_list("item__public_id", "place__position"))
    works = annotate(open_batch(study, Kind.TYPES), ["colors"], ["colors"], ["colors"])
    for work in works[:2]:
        work.answer = {str(item): [by_position[position]] for item, position in answers.items()}
        work.save()
    finalize_annotations(now=NOW)

    types = figures_of(study).types

    rows = {row.key: row for row in types.rows}
    assert (types.count, types.discarded, types.kept) == (3, 0, 3)
    assert (rows["colors"].count, rows["colors"].share) == (2, Fraction(2, 3))
    assert (rows["activity"].count, rows["activity"].share) == (1, Fraction(1, 3))
    assert (rows["counting"].count, rows["counting"].share) == (0, Fraction(0))
    assert rows["counting"].model is None
    assert (rows["colors"].model, rows["activity"].model) == (Fraction(1, 2), Fraction(0))
    assert (rows["colors"].humans, rows["activity"].humans) == (Fraction(1), Fraction(2, 3))
    # Two items agree in full, and the third in one pair of three.
    assert types.agreement == (1 + 1 + Fraction(1, 3)) / 3


def test_types_without_a_majority_are_discarded_and_have_no_share(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.TYPES)
    annotate(open_batch(study, Kind.TYPES), ["colors"], ["activity"], ["counting"])
    finalize_annotations(now=NOW)

    types = figures_of(study).types

    assert (types.count, types.discarded, types.kept, types.agreement) == (2, 2, 0, Fraction(0))
    assert {(row.count, row.share) for row in types.rows} == {(0, None)}


def test_skills_are_shares_of_the_associations(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["humor", "use_of"], ["humor", "use_of"], ["humor"])
    finalize_annotations(now=NOW)

    skills = figures_of(study).skills

    rows = {row.key: (row.count, row.share) for row in skills.rows}
    assert [rows[key] for key in ("humor", "use_of", "none")] == [
        (1, Fraction(1)),
        (1, Fraction(1)),
        (0, Fraction(0)),
    ]
    assert skills.agreement == (1 + Fraction(1, 2) + Fraction(1, 2)) / 3


def test_baseline_has_a_row_for_each_group_of_sizes(study: Study) -> None:
    make_selected(study, size=5, chosen=2)
    make_selected(study, size=6, chosen=2)
    make_selected(study, size=12, chosen=2)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    solve(batch, (0, 1), (0, 1), (0, 4))
    finalize_annotations(now=NOW)

    small, large, everything = figures_of(study).baseline

    mean = (1 + 1 + Fraction(1, 3)) / 3
    assert [(row.group, row.count, row.mean) for row in (small, large, everything)] == [
        ("5 & 6", 2, mean),
        ("10 & 12", 1, mean),
        ("all", 3, mean),
    ]
    assert (small.deviation, small.interval) == (0, (float(mean), float(mean)))
    assert (large.deviation, large.interval) == (None, None)
    assert small.agreement == (1 + Fraction(1, 3) + Fraction(1, 3)) / 3


def test_baseline_interval_is_the_mean_and_its_standard_errors(study: Study) -> None:
    for _ in range(2):
        make_selected(study, size=5, chosen=2)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    batch.items_per_assignment = 1
    batch.save()
    solve(batch, (0, 1), (0, 1), (0, 1))
    solve(batch, (2, 3), (2, 3), (2, 3))
    finalize_annotations(now=NOW)

    everything = figures_of(study).baseline[2]

    # The values 1 and 0 deviate by the root of one half, so the standard error is one half.
    assert (everything.mean, everything.count) == (Fraction(1, 2), 2)
    assert everything.deviation == pytest.approx(0.5**0.5)
    assert everything.interval == (0, 1)


def test_humans_row_is_exact_by_size(study: Study) -> None:
    make_selected(study, size=5, chosen=2)
    make_selected(study, size=12, chosen=2)
    draw(study, Kind.BASELINE)
    solve(open_batch(study, Kind.BASELINE), (0, 1), (0, 4), (0, 4))
    finalize_annotations(now=NOW)

    found = baseline_of(study)

    mean = Fraction(5, 9)
    assert found == Baseline(sums={(False, 5): (1, mean), (False, 12): (1, mean)})
    assert found is not None
    assert (found.count(), found.mean(5, 6), found.mean(6), found.count(6)) == (2, mean, None, 0)
    assert baseline_of(make_study()) is None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"solvers_denominator": 2}, id="not-solvable-any-more"),
        pytest.param({"final_at": None}, id="open-again"),
    ],
)
def test_what_is_not_selected_any_more_is_not_counted(study: Study, change: dict[str, object]) -> None:
    make_selected(study)
    draw(study, Kind.BASELINE)
    solve(open_batch(study, Kind.BASELINE), (0, 1), (0, 1), (0, 1))
    finalize_annotations(now=NOW)

    Association.objects.update(**change)

    assert figures_of(study).baseline[2].count == 0
    assert baseline_of(study) is None
    assert list(rows_of(study, Kind.BASELINE)) == []


def test_what_is_pulled_is_not_counted(study: Study) -> None:
    association = make_selected(study)
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["humor"], ["humor"], ["humor"])
    finalize_annotations(now=NOW)

    Item.objects.filter(pk=association.item_id).update(pulled_at=NOW)

    assert figures_of(study).skills.count == 0


def test_figures_take_as_many_queries_for_many_as_for_few(study: Study) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            figures_of(study)
            list(rows_of(study, Kind.TYPES))
        return len(caught)

    def finish() -> None:
        for kind in (Kind.TYPES, Kind.SKILLS):
            draw(study, kind)
            annotate(open_batch(study, kind), *[["activity"]] * 3)
        draw(study, Kind.BASELINE)
        solve(open_batch(study, Kind.BASELINE), *[(0, 1)] * 3)
        finalize_annotations(now=NOW)

    make_selected(study)
    finish()
    few = queries()
    for _ in range(3):
        make_selected(study)
    finish()

    assert Annotation.objects.filter(final_at=NOW).count() == 16
    assert queries() == few


def test_rows_name_each_annotator_by_pseudonym(study: Study) -> None:
    association = make_selected(study, cue="cold", size=5, chosen=2)
    draw(study, Kind.TYPES)
    works = annotate(open_batch(study, Kind.TYPES), ["colors"], ["colors"], ["activity"])
    finalize_annotations(now=NOW)
    names = [place.label for place in association.places.all()]

    rows = [dict(zip(header_of(Kind.TYPES), row, strict=True)) for row in rows_of(study, Kind.TYPES)]
    first, second = sorted(rows, key=lambda row: names.index(str(row["picture"])))

    assert (first["cue"], first["picture"], second["picture"]) == ("cold", names[0], names[1])
    assert first["association"] == str(association.item.public_id)
    assert (first["candidates"], first["chosen"]) == ("|".join(names), "|".join(names[:2]))
    assert (first["result"], first["answer_1"], first["answer_3"]) == ("colors", "colors", "activity")
    assert [first[f"annotator_{number}"] for number in (1, 2, 3)] == [work.worker.pseudonym for work in works]
    assert first["final_at"] == NOW


def test_rows_of_the_baseline_tell_what_was_picked(study: Study) -> None:
    association = make_selected(study, size=5, chosen=2)
    draw(study, Kind.BASELINE)
    solve(open_batch(study, Kind.BASELINE), (0, 1), (0, 4), (0, 1))
    finalize_annotations(now=NOW)
    names = [place.label for place in association.places.all()]

    [row] = (dict(zip(header_of(Kind.BASELINE), row, strict=True)) for row in rows_of(study, Kind.BASELINE))

    assert (row["result"], row["answer_2"]) == ("7/9", f"{names[0]}|{names[4]}")
    assert "picture" not in row


def test_rows_say_where_there_is_no_majority(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["humor"], ["none"], ["use_of", "outcome"])
    finalize_annotations(now=NOW)

    [row] = (dict(zip(header_of(Kind.SKILLS), row, strict=True)) for row in rows_of(study, Kind.SKILLS))

    assert (row["result"], row["answer_3"]) == ("no majority", "use_of|outcome")
