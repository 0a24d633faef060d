"""Evaluation of registered models on the challenge set, and of other models from uploaded files."""

from io import BytesIO

import pytest

from crowd.winoventi.challenge.queries.model_comparison import results
from crowd.winoventi.challenge.services import evaluations
from crowd.winoventi.challenge.services.uploaded_answers import ANSWERS
from crowd.winoventi.domain.evaluation import Share
from crowd.winoventi.models import Evaluation, ModelAnswer, Premise, Project
from hits.core.errors import InvalidItems, RuleBroken
from hits.data.services.model_results import add_results, replace_results
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services.answering_questions import answer_questions
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW
from tests.scoring.fakes import make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db
FACE = "She made a face. The lemon is [MASK]."
SMILE = "She made a smile. The lemon is [MASK]."


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    """A fake model that prefers sour after any prompt, and cold to hot."""
    fake = use_text_fakes(monkeypatch)
    fake.chances = {"sour": 0.5, "sweet": 0.25, "hot": 0.125, "cold": 0.25}
    return fake


@pytest.fixture
def project() -> Project:
    found = make_project("lemon", "pan")
    make_pair(found)
    make_pair(found, "pan", ("hot", "cold"), "She [screamed / shivered].")
    return found


def masked(name: str = "bert") -> RegisteredRival:
    return make_rival(name, kind="masked")


def evaluate(project: Project, rival: RegisteredRival, way: str = "properly") -> Evaluation:
    evaluation = evaluations.start_evaluation(project=project, rival=rival, by=None, now=NOW, way=way)
    evaluations.evaluate_models(now=NOW)
    answer_questions(clock=lambda: NOW)
    evaluations.evaluate_models(now=NOW)
    evaluation.refresh_from_db()
    return evaluation


def answers(evaluation: Evaluation) -> dict[tuple[str, str], bool]:
    rows = evaluation.answers.select_related("premise__alternative__generic__noun")
    return {(row.premise.noun, row.kind): row.is_right for row in rows}


def upload(project: Project, *lines: str, name: str = "theirs") -> Evaluation:
    file = BytesIO("\n".join([*lines, ""]).encode())
    return add_results(ANSWERS, of=project, name=name, file=file, by=None, now=NOW).made


def replace(evaluation: Evaluation, *lines: str) -> None:
    file = BytesIO("\n".join([*lines, ""]).encode())
    replace_results(ANSWERS, made=evaluation, file=file, by=None, now=NOW)


def test_a_model_is_asked_both_prompts_and_the_outcome_alone(text: type[FakeText], project: Project) -> None:
    evaluation = evaluate(project, masked())

    asked = {one.input["prompt"] for one in ModelQuestion.objects.all()}
    assert {FACE, SMILE, "The lemon is [MASK]."} < asked
    assert answers(evaluation) == {
        ("lemon", "generic"): True,
        ("lemon", "exception"): False,
        ("lemon", "alone"): True,
        ("pan", "generic"): False,
        ("pan", "exception"): True,
        ("pan", "alone"): False,
    }
    assert (evaluation.is_open, evaluation.waiting) == (False, 0)
    assert evaluation.provenance["rival"] == "bert"


def test_probabilities_stand_by_target_and_incorrect(text: type[FakeText], project: Project) -> None:
    evaluation = evaluate(project, masked())

    row = ModelAnswer.objects.get(evaluation=evaluation, kind="exception", premise__alternative__word="sweet")
    assert (row.p_target, row.p_incorrect, row.is_right) == (0.25, 0.5, False)


def test_a_tie_is_wrong_both_times(text: type[FakeText], project: Project) -> None:
    text.chances = {"sour": 0.5, "sweet": 0.5, "hot": 0.5, "cold": 0.5}

    assert set(answers(evaluate(project, masked())).values()) == {False}


def test_the_three_subsets(text: type[FakeText], project: Project) -> None:
    evaluate(project, masked())
    text.chances = {"sour": 0.1, "sweet": 0.2, "hot": 0.4, "cold": 0.3}
    evaluate(project, masked("roberta"))

    bert, roberta = results(project)
    assert bert.everything == {"generic": Share(right=1, all=2), "exception": Share(right=1, all=2)}
    assert bert.individual == {"generic": Share(right=1, all=1), "exception": Share(right=0, all=1)}
    assert roberta.individual == {"generic": Share(right=1, all=1), "exception": Share(right=0, all=1)}
    # One model favors the generic of the lemon, the other that of the pan.
    assert bert.of_intersection == {"generic": Share(right=0, all=0), "exception": Share(right=0, all=0)}


def test_both_ways_of_scoring_stand_side_by_side(text: type[FakeText], project: Project) -> None:
    rival = masked()

    evaluate(project, rival)
    evaluate(project, rival, way="one_token")

    assert [one.way for one in Evaluation.objects.order_by("pk")] == ["properly", "one_token"]
    assert ("one token", 6) in text.calls


def test_asked_again_it_answers_what_became_valid_since(text: type[FakeText], project: Project) -> None:
    rival = masked()
    evaluate(project, rival)
    make_pair(project, "fig", ("sweet", "sour"))

    evaluation = evaluate(project, rival)

    assert evaluation.answers.count() == 9


def test_what_is_no_longer_valid_counts_no_more(text: type[FakeText], project: Project) -> None:
    evaluate(project, masked())
    Premise.objects.filter(alternative__word="cold").update(state="failed")

    (result,) = results(project)

    assert result.everything["generic"] == Share(right=1, all=1)


def test_a_file_of_probabilities_is_a_model_too(project: Project) -> None:
    pair = project.premises.get(alternative__word="sweet").pk

    upload(
        project,
        "prompt,p_target,p_incorrect",
        f"{pair}-generic,0.5,0.25",
        f"{pair}-exception,0.25,0.25",
    )

    (result,) = results(project)
    assert result.everything == {"generic": Share(right=1, all=1), "exception": Share(right=0, all=1)}
    assert (result.individual, result.of_intersection) == (None, None)


def test_a_file_of_words_is_a_model_too(project: Project) -> None:
    pair = project.premises.get(alternative__word="sweet").pk

    evaluation = upload(
        project, "prompt,prediction", f"{pair}-generic,Sour", f"{pair}-exception,sour", f"{pair}-alone,sour"
    )

    assert answers(evaluation) == {
        ("lemon", "generic"): True,
        ("lemon", "exception"): False,
        ("lemon", "alone"): True,
    }


def test_uploaded_again_under_the_same_name_it_is_refused_and_nothing_is_lost(project: Project) -> None:
    pair = project.premises.get(alternative__word="sweet").pk
    upload(project, "prompt,prediction", f"{pair}-generic,sour")

    with pytest.raises(RuleBroken, match="There are answers of Theirs already"):
        upload(project, "prompt,prediction", f"{pair}-exception,sweet", name="Theirs")

    assert ModelAnswer.objects.values_list("kind", flat=True).get() == "generic"


def test_it_is_replaced_where_somebody_says_so_and_by_a_whole_file(project: Project) -> None:
    pair = project.premises.get(alternative__word="sweet").pk
    evaluation = upload(project, "prompt,prediction", f"{pair}-generic,sour")

    with pytest.raises(InvalidItems):
        replace(evaluation, "prompt,prediction", f"{pair}-exception,bitter")
    assert ModelAnswer.objects.values_list("kind", flat=True).get() == "generic"
    replace(evaluation, "prompt,prediction", f"{pair}-exception,sweet")

    assert ModelAnswer.objects.values_list("kind", flat=True).get() == "exception"
    assert Evaluation.objects.count() == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["id,prediction", "x,y"], "The first line names the columns"),
        (["prompt,prediction"], "a heading and no line below it"),
        (["prompt,prediction", "999999-generic,sour"], "Line 2: there is no prompt “999999-generic”"),
        (["prompt,prediction", "{pair}-generic,bitter"], "Line 2: give both probabilities, or as the"),
        (
            ["prompt,p_target,p_incorrect", "{pair}-generic,much,0.1"],
            "Line 2: p_target is “much”, which is not a finite number",
        ),
        (
            ["prompt,p_target,p_incorrect", "{pair}-generic,nan,0.1"],
            "Line 2: p_target is “nan”, which is not a finite number",
        ),
        (
            ["prompt,prediction", "{pair}-generic,sour", "{pair}-generic,sour"],
            "Line 3: the prompt “{pair}-generic” is in line 2 already",
        ),
    ],
    ids=["columns", "empty", "unknown prompt", "unknown word", "words", "nan", "twice"],
)
def test_a_bad_file_is_refused_whole(project: Project, lines: list[str], message: str) -> None:
    pair = project.premises.get(alternative__word="sweet").pk

    with pytest.raises(InvalidItems) as refused:
        upload(project, *[line.format(pair=pair) for line in lines])

    assert message.format(pair=pair) in str(refused.value)
    assert not Evaluation.objects.exists()


def test_a_line_behind_blank_ones_has_its_own_number(project: Project) -> None:
    with pytest.raises(InvalidItems, match="Line 5: there is no prompt “1-sour”"):
        upload(project, "prompt,prediction", "", "", "", "1-sour,sour")


def test_a_line_of_more_cells_than_columns_is_refused(project: Project) -> None:
    pair = project.premises.get(alternative__word="sweet").pk

    with pytest.raises(InvalidItems, match="Line 2: it has 3 fields, and the heading 2"):
        upload(project, "prompt,prediction", f"{pair}-generic,sour,sweet")

    assert not Evaluation.objects.exists()


@pytest.mark.parametrize("name", ["", "bert"])
def test_an_uploaded_model_has_a_name_of_its_own(project: Project, name: str) -> None:
    masked()

    with pytest.raises(RuleBroken, match="Give the model a name"):
        upload(project, "prompt,prediction", name=name)

    assert not Evaluation.objects.exists()


def test_a_causal_model_is_not_evaluated(project: Project) -> None:
    with pytest.raises(RuleBroken, match="choose a masked language model"):
        evaluate(project, make_rival("gpt", kind="causal"))

    assert not Evaluation.objects.exists()
