"""The error analysis of the paper, on made-up answers that are counted a second time by hand."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoventi.challenge.domain.model_errors import End, summarize
from crowd.winoventi.challenge.queries.model_errors import ModelErrors, model_errors
from crowd.winoventi.models import Evaluation, Generic, ModelAnswer, Premise, Project
from hits.identity.roles import RESEARCHER
from scoring.models import RegisteredRival
from tests.crowd.winoventi.rows import make_pair, make_project, make_readings
from tests.factories import NOW
from tests.goldens import body_of
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import make_rival

pytestmark = pytest.mark.django_db
# Noun, generic, k, and the probabilities of the right word, the exception, and of the wrong one, the generic.
ROWS = (
    ("desk", "empty", 1, 0.0625, 0.9375),  # gap 0.875
    ("cup", "empty", 1, 0.25, 0.75),  # gap 0.5
    ("fig", "sweet", 3, 0.25, 0.5),  # gap 0.25
    ("road", "long", 3, 0.5, 0.5),  # a tie: gap 0, and wrong
    ("lemon", "sour", 1, 0.5, 0.375),  # gap -0.125
    ("pan", "hot", 3, 0.75, 0.125),  # gap -0.625
)


def answer(evaluation: Evaluation, pair: Premise, target: float | None, incorrect: float | None) -> None:
    is_right = target is None or incorrect is None or target > incorrect
    ModelAnswer.objects.create(
        evaluation=evaluation,
        premise=pair,
        kind="exception",
        p_target=target,
        p_incorrect=incorrect,
        is_right=is_right,
    )


def evaluation_of(project: Project, name: str, rival: RegisteredRival | None = None) -> Evaluation:
    way = "properly" if rival else ""
    return Evaluation.objects.create(project=project, name=name, rival=rival, way=way, added_at=NOW)


@pytest.fixture
def project() -> Project:
    """Six pairs that one model has answered. It has read five of the nouns, and ties something to three.

    It ties empty to the desk and full to the cup, so the pair of the cup is non-associative; sour to the
    lemon; nothing to the fig and the pan. It has not read the road.
    """
    made = make_project(ks=[1, 3])
    bert = make_rival("bert", kind="masked")
    evaluation = evaluation_of(made, "bert", bert)
    for noun, generic, k, target, incorrect in ROWS:
        pair = make_pair(made, noun, (generic, f"un{generic}"), f"It [was / is] by the {noun}.")
        Generic.objects.filter(pk=pair.alternative.generic_id).update(k=k)
        answer(evaluation, pair, target, incorrect)
    for noun, affirmative, negated in (
        ("desk", "empty a b", "c empty d"),
        ("cup", "full a b", "full c d"),
        ("lemon", "sour", "sour"),
        ("fig", "a", "b"),
        ("pan", "hot", "cold"),
    ):
        make_readings(made, bert, noun, affirmative, negated)
    return made


def nouns(errors: ModelErrors, end: End) -> list[str]:
    return [one.noun for one in errors.ends[end]]


def test_ends_are_ordered_by_the_gap_and_a_tie_is_wrong(project: Project) -> None:
    (bert,) = model_errors(project)

    assert nouns(bert, End.WORST) == ["desk", "cup", "fig", "road"]
    assert nouns(bert, End.BEST) == ["pan", "lemon"]
    assert [one.gap for one in bert.ends[End.WORST]] == [0.875, 0.5, 0.25, 0]
    assert bert.ends[End.BEST][0].gap == -0.625


def test_an_end_has_the_prompt_with_its_words(project: Project) -> None:
    (bert,) = model_errors(project, most=1)

    (worst,) = bert.ends[End.WORST]
    assert worst.text == "It is by the desk. The desk is ____."
    assert (worst.target, worst.incorrect, worst.p_target) == ("unempty", "empty", 0.0625)


def test_shares_by_k_by_word_and_by_association_are_those_counted_by_hand(project: Project) -> None:
    (bert,) = model_errors(project, most=3)

    worst, best = (summarize(bert.ends[end]) for end in End)

    # Worst: desk and cup by k = 1, fig by 3; all three were read; the cup and the fig are non-associative.
    assert (worst.count, worst.by_k) == (3, {1: 2, 3: 1})
    assert worst.by_word == {"empty": 2, "sweet": 1}
    assert worst.share(worst.by_word["empty"]) == Fraction(2, 3)
    assert (worst.known, worst.non_associative, worst.without_associations) == (3, 2, 1)
    # Best: the pan, to which the model ties nothing, and the lemon, which it finds sour.
    assert (best.count, best.by_k, best.by_word) == (2, {3: 1, 1: 1}, {"hot": 1, "sour": 1})
    assert (best.known, best.non_associative, best.without_associations) == (2, 1, 1)


def test_a_noun_that_the_model_has_not_read_counts_in_no_share_of_associations(project: Project) -> None:
    (bert,) = model_errors(project, most=4)

    worst = summarize(bert.ends[End.WORST])

    assert (worst.count, worst.known) == (4, 3)
    assert bert.ends[End.WORST][3].is_associative is None


def test_uploaded_models_have_ends_and_nobody_knows_their_associations(project: Project) -> None:
    theirs, words_only = evaluation_of(project, "theirs"), evaluation_of(project, "words-only")
    pair = project.premises.get(alternative__generic__word="sweet")
    answer(theirs, pair, 0.1, 0.2)
    answer(words_only, pair, None, None)

    _, uploaded = model_errors(project)

    assert nouns(uploaded, End.WORST) == ["fig"]
    assert (summarize(uploaded.ends[End.WORST]).known, uploaded.ends[End.BEST]) == (0, [])


def test_pairs_that_are_no_longer_valid_do_not_count(project: Project) -> None:
    Premise.objects.filter(alternative__generic__noun__word="desk").update(state="failed")

    (bert,) = model_errors(project)

    assert nouns(bert, End.WORST)[0] == "cup"


def test_each_model_has_its_own_ends_in_three_queries(project: Project) -> None:
    other = evaluation_of(project, "roberta", make_rival("roberta", kind="masked"))
    for pair in project.premises.all():
        answer(other, pair, 0.9, 0.1)

    with CaptureQueriesContext(connection) as queries:
        bert, roberta = model_errors(project, most=2)

    assert (len(bert.ends[End.WORST]), len(roberta.ends[End.WORST]), len(roberta.ends[End.BEST])) == (2, 0, 2)
    assert len(queries) == 3


def address(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:winoventi_{name}", args=[project.pk, *more])


def test_the_page_and_its_files_say_the_same(client: Client, project: Project) -> None:
    evaluation_of(project, "words-only")
    sign_in(client, RESEARCHER, project.study)

    page = text_of(client.get(address("errors", project), {"most": "2", "kind": "exception"}))
    file = body_of(client.get(address("error_table", project, "errors"), {"most": "2", "kind": "exception"}))

    assert "errors.csv?most=2&amp;kind=exception" in page
    assert "Not here, as no probabilities are known: words-only." in page
    assert "It is by the desk. The desk is ____." in page
    assert "by the fig" not in page
    assert file.splitlines()[2:] == [
        "bert,worst,2,100.0 %,0.0 %,empty,100.0 %,2,50.0 %,0.0 %",
        "bert,best,2,50.0 %,50.0 %,hot,50.0 %,2,50.0 %,50.0 %",
    ]


def test_a_number_that_cannot_be_read_is_said_and_the_papers_is_shown(
    client: Client, project: Project
) -> None:
    sign_in(client, RESEARCHER, project.study)

    page = text_of(client.get(address("errors", project), {"most": "many"}))

    assert "Enter a whole number." in page
    assert "by the fig" in page


def test_a_project_without_models_says_what_to_do(client: Client) -> None:
    empty = make_project()
    sign_in(client, RESEARCHER, empty.study)

    assert "No model has given probabilities for these prompts yet." in text_of(
        client.get(address("errors", empty))
    )


def test_nobody_sees_the_errors_of_a_strange_study(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, make_project().study)

    assert client.get(address("errors", project)).status_code == 404
    assert client.get(address("error_table", project, "errors")).status_code == 404
