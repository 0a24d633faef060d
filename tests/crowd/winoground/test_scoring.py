"""People's scores as the results read them."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.winoground.domain.caption_scores import PairScores, Right
from crowd.winoground.models import Project
from crowd.winoground.queries.parts import parts_of
from crowd.winoground.queries.scoring import four_of, lines_of, scored, votes_of
from hits.work.models.assignments import Assignment
from scoring.queries.vote_tallies import Tally
from tests.crowd.winoground.making_scores import (
    IMAGE_ONLY,
    RIGHT,
    TEXT_ONLY,
    WRONG,
    answer,
    make_answered,
    make_example,
    make_project,
    make_voters,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def test_people_are_right_as_their_shares_say(project: Project) -> None:
    examples = make_answered(project, RIGHT, TEXT_ONLY, IMAGE_ONLY, WRONG)

    found = scored(project)

    assert [found.rights[one.pk] for one in examples] == [
        Right(text=True, image=True),
        Right(text=True, image=False),
        Right(text=False, image=True),
        Right(text=False, image=False),
    ]
    assert four_of(votes_of(project)[examples[1].pk]) == PairScores(
        Fraction(6, 10), Fraction(8, 10), Fraction(4, 10), Fraction(9, 10)
    )


def test_example_without_answers_on_all_four_is_open(project: Project) -> None:
    answered, partly = make_answered(project, RIGHT, ((9, 10), (0, 10), (0, 10), (0, 0)))
    untouched = make_example(project)

    votes = votes_of(project)

    assert list(scored(project).rights) == [answered.pk]
    assert scored(project).few == 2
    assert votes[partly.pk] == (
        Tally(yes=9, answers=10), Tally(yes=0, answers=10), Tally(yes=0, answers=10), None,
    )  # fmt: skip
    assert votes[untouched.pk] == (None, None, None, None)


@pytest.mark.parametrize("changes", [{"status": "rejected"}, {"kept_out": True}])
def test_answers_that_do_not_count_turn_the_score(project: Project, changes: dict[str, Any]) -> None:
    voters = make_voters(project, 2)
    example = make_example(project)
    # The first voter says that everything matches; only the second one distinguishes the captions.
    answer(example, ((2, 2), (1, 2), (1, 2), (2, 2)), voters)
    assert scored(project).rights[example.pk] == Right(text=True, image=True)
    Assignment.objects.filter(pk=voters[1].pk).update(**changes)

    rights = scored(project).rights

    assert rights[example.pk] == Right(text=False, image=False)
    assert votes_of(project)[example.pk] == (Tally(yes=1, answers=1),) * 4


@pytest.mark.parametrize("state", ["draft", "ready", "withdrawn"])
def test_only_what_is_asked_is_scored(project: Project, state: str) -> None:
    make_answered(project, RIGHT, state=state)

    found = scored(project)

    assert (found.lines, found.rights) == ([], {})


def test_another_studys_scores_are_its_own(project: Project) -> None:
    make_answered(make_project(), RIGHT)

    found = scored(project)

    assert (found.lines, found.rights) == ([], {})


def test_lines_know_their_tags_and_words(project: Project) -> None:
    make_example(project, tags=("noun", "adjective"), caption_0="an old dog", caption_1="a dog, old age")

    (line,) = lines_of(project)

    assert (line.number, line.tags, line.words) == (1, ("adjective", "noun"), 7)


def test_parts_hold_every_example_under_each_of_its_tags(project: Project) -> None:
    make_example(project, swap="object", predicates=1, is_series=True, tags=("noun", "Verb"))
    make_example(project, swap="both", predicates=2, has_altered_morpheme=True, tags=("noun",))

    parts = parts_of(lines_of(project))

    assert [(part.key, part.name, [line.number for line in part.lines]) for part in parts] == [
        ("swap-object", "Object", [1]),
        ("swap-relation", "Relation", []),
        ("swap-both", "Both", [2]),
        ("predicates-1", "One main predicate", [1]),
        ("predicates-2", "Two main predicates", [2]),
        ("visual-symbolic", "Symbolic", []),
        ("visual-series", "Of one series", [1]),
        ("visual-pragmatic", "Pragmatic", []),
        ("words-same", "Same forms", [1]),
        ("words-altered", "A word changes its form", [2]),
        ("tag-noun", "noun", [1, 2]),
        ("tag-Verb", "Verb", [1]),
    ]


def test_as_many_queries_for_any_number_of_examples(project: Project) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            scored(project)
        return len(captured)

    make_answered(project, RIGHT, tags=("noun",))
    before = queries()
    make_answered(project, RIGHT, WRONG, TEXT_ONLY, tags=("noun", "verb"))

    assert (before, queries()) == (4, 4)
