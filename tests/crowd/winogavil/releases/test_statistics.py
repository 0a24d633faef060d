"""The paper's tables on a study small enough to be counted by hand."""

from typing import Any

import pytest

from crowd.winogavil.releases.admin.tables import tables_of, tables_of_cues
from crowd.winogavil.releases.models import Statistics
from crowd.winogavil.releases.statistics.concreteness import tables_of_concreteness
from crowd.winogavil.releases.statistics.figures import figures
from crowd.winogavil.releases.statistics.kept_figures import statistics_of
from crowd.winogavil.releases.statistics.study_tallies import count, count_concreteness
from crowd.winogavil.releases.statistics.tallies import Answer, Cues, Fact, add_set, joined
from hits.datasets.stat_table import StatTable
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.releases.data import make_final, people
from tests.factories import NOW, make_association, make_study

pytestmark = pytest.mark.django_db


def declared(found: dict[str, list[dict[str, Any]]]) -> list[StatTable]:
    return [*tables_of(found), *tables_of_cues(found)]


def tables(study: Study, **changes: Any) -> dict[str, list[dict[str, Any]]]:
    return statistics_of(study, **{"sources": [], "now": NOW, **changes}).figures


def row(table: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (found,) = [one for one in table if wanted.items() <= one.items()]
    return found


def a_study() -> tuple[Study, list[Worker]]:
    """A study of two creators, four solvers and three associations, two of 5 and one of 10; one is unsolved.

    cold, 2 of 5: model 1/3 (33), solvers 1, 1, 1.
    warm, 2 of 5: model 1 (100), solvers 1, 1/3, 0: mean 4/9.
    cold, 3 of 10: model 0, solvers 1, 1, 1/2: mean 5/6.
    """
    study = make_study()
    first, second, *solvers = people(6)
    a, b, c, d = solvers
    make_final(
        study,
        cue="cold",
        author=first,
        predicted=(0, 2),
        picks=dict.fromkeys((a, b, c), (0, 1)),
        set_key="a set",
    )
    make_final(
        study,
        cue="warm",
        author=second,
        predicted=(0, 1),
        picks={a: (0, 1), b: (0, 2), d: (3, 4)},
        set_key="a set",
    )
    picks = {b: (0, 1, 2), c: (0, 1, 2), d: (0, 1, 3)}
    make_final(study, cue="Cold", author=second, size=10, chosen=(0, 1, 2), predicted=(7, 8, 9), picks=picks)
    return study, [first, second, *solvers]


def test_collected_by_the_number_of_candidates() -> None:
    study, _ = a_study()
    make_association(study=study, size=5)  # nobody has answered or solved this one yet

    found = tables(study)["sizes"]

    assert row(found, candidates="5 & 6") == {
        "candidates": "5 & 6", "made": 3, "final": 2, "selected": 1,
        "model": 66.5, "human": 72.2, "random": 30.0,
    }  # fmt: skip
    assert row(found, candidates="10 & 12") == {
        "candidates": "10 & 12", "made": 1, "final": 1, "selected": 1,
        "model": 0.0, "human": 83.3, "random": 20.1,
    }  # fmt: skip
    assert row(found, candidates="all")["made"] == 4


def test_selected_by_candidates_and_chosen() -> None:
    study, _ = a_study()

    found = tables(study)["shapes"]

    assert found == [
        {
            "candidates": 5, "chosen": 2, "made": 2, "selected": 1, "human": 100.0, "model": 33.0,
            "fool": 67.0, "random": 30.0, "random_printed": 38,
        },
        {
            "candidates": 10, "chosen": 3, "made": 1, "selected": 1, "human": 83.3, "model": 0.0,
            "fool": 100.0, "random": 20.1, "random_printed": 24,
        },
    ]  # fmt: skip


def test_people_each_and_on_average() -> None:
    study, (first, second, a, b, _, d) = a_study()

    found = tables(study)

    assert row(found["creators"], creator=first.pseudonym) == {
        "creator": first.pseudonym, "made": 1, "selected": 1, "fool": 67.0, "solvable": 100.0,
        "made_5_6": 1, "selected_5_6": 1, "fool_5_6": 67.0, "solvable_5_6": 100.0,
        "made_10_12": 0, "selected_10_12": 0, "fool_10_12": None, "solvable_10_12": None,
    }  # fmt: skip
    # The second creator: fool 0 and 100; solvable 4/9 and 5/6, so 23/36.
    assert row(found["creators"], creator=second.pseudonym, made=2, fool=50.0, solvable=63.9)
    assert [one["creator"] for one in found["creators"]] == [second.pseudonym, first.pseudonym]
    assert row(found["solvers"], solver=a.pseudonym, answers=2, jaccard=100.0, answers_10_12=0)
    assert row(found["solvers"], solver=b.pseudonym, answers=3, jaccard=77.8, jaccard_5_6=66.7)
    assert row(found["solvers"], solver=d.pseudonym, answers=2, jaccard=25.0, jaccard_10_12=50.0)
    # Each person counts once: (67 + 50) / 2; (100 + 63.9) / 2; (1 + 7/9 + 1 + 1/4) / 4.
    assert row(found["people"], candidates="all") == {
        "candidates": "all", "creators": 2, "associations_each": 1.5, "fool": 58.5, "solvable": 81.9,
        "solvers": 4, "answers_each": 2.2, "jaccard": 75.7,
    }  # fmt: skip


def test_agreement_with_the_author_and_among_solvers() -> None:
    study, _ = a_study()

    found = tables(study)["agreement"]

    # Answers 1, 1, 1, 1, 1/3, 0. Pairs 1, 1, 1 and 1/3, 0, 0. Together 1 and 0.
    assert row(found, candidates="5 & 6") == {
        "candidates": "5 & 6", "associations": 2, "answers": 6, "author_mean": 72.2, "author_std": 40.4,
        "within_std": 20.8, "pairs_mean": 55.6, "pairs_std": 45.8,
        "together_mean": 50.0, "together_std": 50.0,
    }  # fmt: skip
    # Answers 1, 1, 1/2. Pairs 1, 1/2, 1/2. Together: two of four.
    assert row(found, candidates="10 & 12") == {
        "candidates": "10 & 12", "associations": 1, "answers": 3, "author_mean": 83.3, "author_std": 23.6,
        "within_std": 23.6, "pairs_mean": 66.7, "pairs_std": 23.6, "together_mean": 50.0, "together_std": 0.0,
    }  # fmt: skip


def test_cues_whatever_their_case() -> None:
    study, _ = a_study()

    found = tables(study)

    assert found["words"] == [{"cue": "cold", "associations": 2}]
    assert found["cues"] == [
        {
            "selected": 2, "distinct": 1, "sets_of_several_creators": 1, "sets_where_cues_differ": 1,
            "share_where_cues_differ": 100.0,
        }
    ]  # fmt: skip


@pytest.mark.pure
def test_one_author_may_repeat_a_cue_and_two_may_not() -> None:
    cues = Cues()

    add_set(cues, [(1, "snow", True), (1, "Snow", True), (2, "ice", True)])
    add_set(cues, [(1, "snow", True), (2, "SNOW", True), (3, "ice", False)])
    add_set(cues, [(1, "snow", False), (None, "snow", True)])

    assert (cues.sets, cues.different) == (2, 1)
    assert cues.words == {"snow": 5, "ice": 1}


@pytest.mark.pure
def test_answers_are_joined_in_step() -> None:
    facts = [Fact(key, None, None, None, None, None, 5, 2) for key in (2, 3, 5)]
    answers = [Answer(key, worker, [0], 1, 1) for key, worker in ((1, 1), (2, 1), (2, 2), (4, 1), (5, 3))]

    found = [(fact.key, [answer.worker for answer in some]) for fact, some in joined(facts, answers)]

    assert found == [(2, [1, 2]), (3, []), (5, [3])]


def test_empty_study_has_tables_without_figures() -> None:
    found = tables(make_study())

    assert set(found) == {table.name for table in declared(found)}
    assert row(found["sizes"], candidates="all", made=0, model=None, human=None, random=None)
    assert row(found["agreement"], candidates="all", author_mean=None, within_std=None)
    assert found["creators"] == found["solvers"] == found["shapes"] == found["words"] == []
    assert found["cues"][0]["share_where_cues_differ"] is None


def test_sources_pulled_items_and_other_studies_are_told_apart() -> None:
    study, _ = a_study()
    make_final(study, source="player")
    Item.objects.filter(association=make_final(study, source="player")).update(pulled_at=NOW)
    make_final(make_study())

    assert row(tables(study)["sizes"], candidates="all")["made"] == 4
    assert row(tables(study, sources=["player"])["sizes"], candidates="all")["made"] == 1
    assert row(tables(study, sources=["worker", "player"])["sizes"], candidates="all")["made"] == 4


def test_figures_are_counted_again_once_something_counts_differently() -> None:
    study, _ = a_study()
    first = statistics_of(study, sources=[], now=NOW)
    Statistics.objects.update(took_ms=0)

    assert statistics_of(study, sources=[], now=NOW).counted_at == first.counted_at
    make_final(study)
    again = statistics_of(study, sources=[], now=NOW)
    Statistics.objects.update(took_ms=0)
    Item.objects.filter(association__cue="cold").update(pulled_at=NOW)
    third = statistics_of(study, sources=[], now=NOW)

    made = [row(one.figures["sizes"], candidates="all")["made"] for one in (first, again, third)]
    assert made == [3, 4, 2]
    assert Statistics.objects.count() == 1


def test_what_takes_long_is_not_counted_all_the_time() -> None:
    study, _ = a_study()
    statistics_of(study, sources=[], now=NOW)
    Statistics.objects.update(took_ms=3_000)
    make_final(study)

    soon = statistics_of(study, sources=[], now=NOW.replace(second=59))
    later = statistics_of(study, sources=[], now=NOW.replace(minute=1))

    assert [row(one.figures["sizes"], candidates="all")["made"] for one in (soon, later)] == [3, 4]


def test_counting_asks_as_often_for_many_as_for_few(django_assert_num_queries: Any) -> None:
    study, _ = a_study()

    with django_assert_num_queries(3):
        few = count(study, sources=[], threshold=80)
    for _ in range(5):
        make_final(study)
    with django_assert_num_queries(3):
        many = count(study, sources=[], threshold=80)

    made = [sum(shape.made.count for shape in one.shapes.values()) for one in (few, many)]
    assert made == [3, 8]
    with django_assert_num_queries(1):
        concreteness = count_concreteness(study, sources=[], ratings={"cold": 3.5})
    found = figures(many, pseudonyms={key: "w" for key, _ in [*many.creators, *many.solvers]})
    found |= tables_of_concreteness(concreteness, many.cues.words)
    # Whatever is counted is in a file.
    for table in declared(found):
        names = [column.name for column in table.columns if column.name]
        assert {tuple(one) for one in found[table.name]} == {tuple(names)}
