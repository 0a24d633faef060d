"""Step 3: which triplets pass, which are kept with a reason, and what other models only record."""

from typing import Any

import pytest

from crowd.winoventi.filter.services import adversarial_filter
from crowd.winoventi.models import Alternative, FilterScore, Project
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.procedure.services import project_rules
from hits.core.errors import RuleBroken
from scoring.models.model_questions import ModelQuestion
from scoring.services.answering_questions import answer_questions
from tests.crowd.winoventi.rows import by_itself, make_alternative, make_project
from tests.factories import NOW
from tests.scoring.fakes import make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    fake = use_text_fakes(monkeypatch)
    fake.chances = {"sour": 0.25, "sweet": 0.125, "bitter": 0.25, "yellow": 0.5}
    return fake


def project_of(**rules: Any) -> Project:
    return make_project("lemon", filter_model=make_rival("bert", kind="masked"), **rules)


def run() -> None:
    adversarial_filter.filter_alternatives(now=NOW)
    answer_questions(clock=lambda: NOW)
    adversarial_filter.filter_alternatives(now=NOW)
    project_rules.pass_alternatives(now=NOW)


def states(project: Project) -> dict[str, str]:
    return dict(project.alternatives.values_list("word", "state"))


def test_only_what_the_model_finds_less_likely_than_the_generic_passes(text: type[FakeText]) -> None:
    project = project_of()
    for word in ("sweet", "bitter", "yellow"):
        make_alternative(project, word=word)

    adversarial_filter.start_filter(project=project, now=NOW)
    run()

    # A tie is filtered, too.
    assert states(project) == {"sweet": "passed", "bitter": "filtered", "yellow": "filtered"}
    assert "0.25 against 0.25" in project.alternatives.get(word="bitter").reason
    assert "0.25 against 0.5" in project.alternatives.get(word="yellow").reason
    assert ModelRun.objects.values_list("is_open", "waiting").get() == (False, 0)


def test_a_score_keeps_both_probabilities_and_how_each_word_was_scored(text: type[FakeText]) -> None:
    project = project_of()
    make_alternative(project)

    adversarial_filter.start_filter(project=project, now=NOW)
    run()

    score = FilterScore.objects.get()
    assert (score.p_generic, score.p_exception, score.passes) == (0.25, 0.125, True)
    assert (score.way, score.pieces_generic, score.pieces_exception) == ("properly", 1, 1)
    assert (score.provenance["way_generic"], score.provenance["way_exception"]) == ("single", "single")
    assert score.provenance["rival"] == "bert"
    assert ModelQuestion.objects.get().input["prompt"] == "The lemon is [MASK]."


def test_the_authors_way_looks_words_up_as_one_token(text: type[FakeText]) -> None:
    project = project_of(way="one_token")
    make_alternative(project)

    adversarial_filter.start_filter(project=project, now=NOW)
    run()

    score = FilterScore.objects.get()
    assert text.calls == [("one token", 1)]
    assert (score.way, score.provenance["way_exception"]) == ("one_token", "one token")


def test_other_models_record_and_decide_nothing(text: type[FakeText]) -> None:
    project = project_of()
    make_alternative(project)

    adversarial_filter.start_filter(project=project, rival=make_rival("roberta", kind="masked"), now=NOW)
    run()

    assert states(project) == {"sweet": "given"}
    assert FilterScore.objects.values_list("rival__name", "passes").get() == ("roberta", True)


def test_a_step_by_itself_filters_what_comes(text: type[FakeText]) -> None:
    project = project_of()
    by_itself(project, "filter")
    make_alternative(project)
    run()
    make_alternative(project, word="yellow")

    run()

    assert states(project) == {"sweet": "passed", "yellow": "filtered"}


def test_without_a_click_nothing_is_asked(text: type[FakeText]) -> None:
    project = project_of()
    make_alternative(project)

    run()

    assert not ModelQuestion.objects.exists()
    assert states(project) == {"sweet": "given"}


def test_what_was_scored_before_is_settled_without_asking_again(text: type[FakeText]) -> None:
    project = project_of()
    alternative = make_alternative(project)
    adversarial_filter.start_filter(project=project, now=NOW)
    run()
    Alternative.objects.filter(pk=alternative.pk).update(state="given")

    adversarial_filter.start_filter(project=project, now=NOW)
    run()

    assert states(project) == {"sweet": "passed"}
    assert len(text.calls) == 1


def test_filtered_twice_there_is_one_score(text: type[FakeText]) -> None:
    project = project_of()
    make_alternative(project)
    adversarial_filter.start_filter(project=project, now=NOW)
    run()
    before = list(FilterScore.objects.values())

    run()

    assert list(FilterScore.objects.values()) == before


def test_a_model_that_is_down_leaves_everything_as_given_and_says_why(text: type[FakeText]) -> None:
    project = project_of()
    make_alternative(project)
    text.down = "The weights are gone."

    adversarial_filter.start_filter(project=project, now=NOW)
    run()

    assert states(project) == {"sweet": "given"}
    model_run = ModelRun.objects.get()
    assert (model_run.is_open, model_run.waiting, model_run.problem) == (True, 1, "The weights are gone.")


def test_a_person_has_what_failed_asked_again_at_once(text: type[FakeText]) -> None:
    project = project_of()
    make_alternative(project)
    adversarial_filter.start_filter(project=project, now=NOW)
    adversarial_filter.filter_alternatives(now=NOW)
    ModelQuestion.objects.update(status="failed", problem="No such word.")
    adversarial_filter.filter_alternatives(now=NOW)
    model_run = ModelRun.objects.get()
    assert (model_run.is_open, model_run.failed, model_run.problem) == (False, 1, "No such word.")

    adversarial_filter.score_anew(project=project, now=NOW)
    run()

    model_run.refresh_from_db()
    assert states(project) == {"sweet": "passed"}
    assert (model_run.is_open, model_run.failed, model_run.problem, model_run.look_at) == (False, 0, "", None)


def test_a_causal_model_filters_nothing() -> None:
    project = make_project("lemon", filter_model=make_rival("gpt", kind="causal"))

    with pytest.raises(RuleBroken, match="choose a masked language model"):
        adversarial_filter.start_filter(project=project, now=NOW)

    assert not ModelRun.objects.exists()
