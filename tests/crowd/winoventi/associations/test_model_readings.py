"""Step 1 with a fake model: what it is asked, what follows, and what is cut."""

from datetime import timedelta
from typing import Any

import pytest

from crowd.winoventi.associations.queries.model_associations import associations_by_model
from crowd.winoventi.associations.queries.perplexity_curves import curves_of
from crowd.winoventi.associations.services import model_readings
from crowd.winoventi.challenge.queries.model_comparison import COMPARED_KS, likenesses
from crowd.winoventi.models import Generic, Project, Reading
from crowd.winoventi.models.model_runs import ModelRun
from hits.core.errors import RuleBroken
from scoring.models.model_questions import ModelQuestion
from scoring.services import consulting
from scoring.services.answering_questions import answer_questions
from scoring.services.asking_models import retry_questions
from tests.crowd.winoventi.rows import by_itself, make_generic, make_project
from tests.factories import NOW
from tests.idle import watch
from tests.scoring.fakes import make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db
LEMON = {
    "The lemon is [MASK].": ["sour", "yellow", "round"],
    "The lemon is not [MASK].": ["sour", "hot", "yellow"],
    "The lemon is [MASK],": ["yellow", "sour", "ripe"],
    "The lemon is not [MASK],": ["ripe", "red", "blue"],
}


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    fake = use_text_fakes(monkeypatch)
    fake.words = dict(LEMON)
    return fake


def project_of(*nouns: str, **rules: Any) -> Project:
    return make_project(*nouns, generics_model=make_rival("bert", kind="masked"), **rules)


def run(*, times: int = 1) -> None:
    """Run sweeps and the model alternately."""
    for _ in range(times):
        model_readings.read_nouns(now=NOW)
        answer_questions(clock=lambda: NOW)
    model_readings.read_nouns(now=NOW)


def found(project: Project) -> dict[tuple[str, str], int]:
    return {(one.noun.word, one.word): one.k for one in project.generics.select_related("noun")}


def test_start_reading_leads_to_the_generics_of_every_noun(text: type[FakeText]) -> None:
    text.words |= {prompt.replace("lemon", "pan"): ["hot"] for prompt in LEMON}
    project = project_of("lemon", "pan")

    model_readings.start_reading(project=project, now=NOW)
    run()

    assert found(project) == {
        ("lemon", "sour"): 1,
        ("lemon", "yellow"): 3,
        ("lemon", "ripe"): 3,
        ("pan", "hot"): 1,
    }
    assert ModelRun.objects.values_list("is_open", "waiting", "failed").get() == (False, 0, 0)


def test_a_reading_keeps_the_words_in_order_and_who_said_them(text: type[FakeText]) -> None:
    project = project_of("lemon")

    model_readings.start_reading(project=project, now=NOW)
    run()

    found = Reading.objects.get(template="is_not")
    assert found.words == [["sour", 0.5], ["hot", 1 / 3], ["yellow", 0.25]]
    assert (found.provenance["rival"], found.read_at) == ("bert", NOW)
    assert Reading.objects.count() == 4


def test_homonyms_are_asked_about_once_and_are_rows_of_their_own(text: type[FakeText]) -> None:
    project = project_of("lemon", "lemon")

    model_readings.start_reading(project=project, now=NOW)
    run()

    assert ModelQuestion.objects.count() == 4
    assert Reading.objects.count() == 8
    assert project.generics.filter(word="sour").count() == 2


def test_nothing_is_asked_before_a_click(text: type[FakeText]) -> None:
    project_of("lemon")

    run()

    assert not ModelQuestion.objects.exists()


def test_a_step_by_itself_reads_the_nouns_that_come(text: type[FakeText]) -> None:
    project = project_of("lemon")
    by_itself(project, "generics")
    run()
    project.nouns.create(number=2, word="lemon")

    run()

    assert project.generics.filter(word="sour").count() == 2
    assert ModelRun.objects.count() == 1


def test_nouns_are_read_slice_by_slice(text: type[FakeText], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consulting, "AT_ONCE", 2)
    project = project_of("fig", "plum", "lemon", "lime", "cherry")
    model_readings.start_reading(project=project, now=NOW)

    model_readings.read_nouns(now=NOW)
    first = ModelQuestion.objects.count()
    model_run = ModelRun.objects.get()
    run(times=3)

    assert (first, model_run.waiting) == (8, 5)
    assert found(project)["lemon", "sour"] == 1
    assert not ModelRun.objects.filter(is_open=True).exists()


def test_read_again_changes_nothing(text: type[FakeText]) -> None:
    project = project_of("lemon")
    model_readings.start_reading(project=project, now=NOW)
    run()
    before = list(Generic.objects.values()), list(Reading.objects.values())

    model_readings.start_reading(project=project, now=NOW + timedelta(days=1))
    run()

    assert (list(Generic.objects.values()), list(Reading.objects.values())) == before


def test_a_noun_that_cannot_be_read_keeps_no_other_waiting(text: type[FakeText]) -> None:
    project = project_of("poison", "lemon")
    model_readings.start_reading(project=project, now=NOW)

    run()

    model_run = ModelRun.objects.get()
    assert found(project)["lemon", "sour"] == 1
    assert (model_run.is_open, model_run.failed, model_run.problem) == (False, 1, "This is no sentence.")


def test_a_failed_noun_is_read_when_it_is_asked_again(text: type[FakeText]) -> None:
    project = project_of("lemon")
    text.down = "The weights are gone."
    model_readings.start_reading(project=project, now=NOW)
    run()
    waiting = ModelRun.objects.values_list("is_open", "waiting", "problem").get()
    text.down = ""

    retry_questions(ModelQuestion.objects.all(), now=NOW)
    run()

    assert waiting == (True, 1, "The weights are gone.")
    assert found(project)["lemon", "sour"] == 1


@pytest.mark.parametrize(
    ("kind", "message"), [(None, "Choose the model of step 1"), ("causal", "choose a masked")]
)
def test_without_a_fitting_model_nothing_starts(kind: str | None, message: str) -> None:
    rival = make_rival("gpt", kind=kind) if kind else None
    project = make_project("lemon", generics_model=rival)

    with pytest.raises(RuleBroken, match=message):
        model_readings.start_reading(project=project, now=NOW)

    assert not ModelRun.objects.exists()


def ranked_project(text: type[FakeText], **rules: Any) -> Project:
    """A project with six generics of k = 1, whose curve bends at the fourth, and one of k = 3."""
    project = project_of(perplexity_model=make_rival("gpt", kind="causal"), **rules)
    for number, perplexity in enumerate((30.0, 10.0, 20.0, 40.0, 900.0, 1000.0), start=1):
        make_generic(project, f"noun{number}", "old")
        text.chances[f"The noun{number} is old."] = perplexity
    make_generic(project, "noun1", "new", k=3)
    text.chances["The noun1 is new."] = 5000.0
    return project


def rank(project: Project) -> None:
    model_readings.start_reading(project=project, now=NOW)
    run(times=2)


def states(project: Project) -> dict[str, str]:
    return {str(one): one.state for one in project.generics.select_related("noun")}


def test_generics_are_ranked_within_their_k(text: type[FakeText]) -> None:
    project = ranked_project(text)

    rank(project)

    rows = project.generics.order_by("k", "rank").values_list("k", "rank", "noun__word", "perplexity")
    assert list(rows)[:3] == [(1, 1, "noun2", 10.0), (1, 2, "noun3", 20.0), (1, 3, "noun1", 30.0)]
    assert list(rows)[-1] == (3, 1, "noun1", 5000.0)


def test_what_lies_behind_the_bend_is_cut_with_the_reason(text: type[FakeText]) -> None:
    project = ranked_project(text)

    rank(project)

    project.refresh_from_db()
    cut = {one.statement: one.reason for one in project.generics.filter(state="cut").select_related("noun")}
    assert project.cuts == {"1": 40.0}
    assert list(cut) == ["The noun4 is old.", "The noun5 is old.", "The noun6 is old."]
    assert cut["The noun5 is old."] == "Perplexity 900.0: those of k = 1 are cut at 40.0."
    assert states(project)["The noun1 is new."] == "found"


def test_without_a_causal_model_the_nouns_order_ranks_and_nothing_is_cut(text: type[FakeText]) -> None:
    text.words |= {prompt.replace("lemon", "lime"): words for prompt, words in LEMON.items()}
    project = project_of("lime", "lemon")

    rank(project)

    rows = project.generics.order_by("k", "rank").values_list("k", "rank", "noun__word", "state")
    assert list(rows[:2]) == [(1, 1, "lime", "found"), (1, 2, "lemon", "found")]
    assert not project.generics.exclude(state="found", rank__isnull=False).exists()


def test_cut_by_hand_stays_as_it_was_set(text: type[FakeText]) -> None:
    project = ranked_project(text, cut_by="hand", cuts={"1": 25, "3": 6000})

    rank(project)

    project.refresh_from_db()
    assert project.cuts == {"1": 25, "3": 6000}
    assert [name for name, state in states(project).items() if state == "found"] == [
        "The noun2 is old.",
        "The noun3 is old.",
        "The noun1 is new.",
    ]


def test_too_many_are_cut_once_more_and_other_rules_bring_them_back(text: type[FakeText]) -> None:
    project = ranked_project(text, cut_by="hand", cuts={}, most_posted=4)
    rank(project)
    before = project.generics.filter(state="cut").count()
    reason = project.generics.filter(state="cut").values_list("reason", flat=True)[0]
    project.cut_by = "nothing"
    project.save()

    model_readings.cut_generics(project)

    assert before > 0
    assert "cut once more" in reason
    assert set(states(project).values()) == {"found"}


def test_a_cut_of_many_takes_few_statements() -> None:
    project = make_project(*(f"noun{number}" for number in range(2000)), cut_by="hand", cuts={"1": 600})
    Generic.objects.bulk_create(
        Generic(project=project, noun=noun, word="old", k=1, perplexity=float(noun.number))
        for noun in project.nouns.all()
    )

    seen = watch(lambda: model_readings.cut_generics(project))

    assert project.generics.filter(state="cut", rank__gte=600).count() == 1401
    assert project.generics.filter(state="found", rank__lt=600).count() == 599
    assert seen.queries <= 8


def test_a_posted_generic_is_never_cut(text: type[FakeText]) -> None:
    project = ranked_project(text, cut_by="hand", cuts={"1": 1})
    rank(project)
    project.generics.filter(noun__word="noun6").update(state="posted", reason="")

    model_readings.cut_generics(project)

    assert states(project)["The noun6 is old."] == "posted"


def test_the_stop_list_stops_and_lets_go(text: type[FakeText]) -> None:
    project = ranked_project(text, cut_by="nothing", stop_list="Old\n")
    rank(project)
    stopped = states(project)
    project.stop_list = ""
    project.save()

    model_readings.cut_generics(project)

    assert sorted(set(stopped.values())) == ["found", "stopped"]
    assert stopped["The noun1 is new."] == "found"
    assert set(states(project).values()) == {"found"}


def test_the_curve_is_kept_for_the_plot(text: type[FakeText]) -> None:
    project = ranked_project(text)
    rank(project)
    project.refresh_from_db()

    first, second = curves_of(project)

    assert (first.k, first.cut, list(first.perplexities)) == (1, 40.0, [10, 20, 30, 40, 900, 1000])
    assert (second.k, second.cut, list(second.perplexities)) == (3, None, [5000])


def test_two_models_are_compared_by_what_they_tie_to_the_nouns(text: type[FakeText]) -> None:
    project = project_of("lemon", "fig")
    other = make_rival("roberta", kind="masked")
    model_readings.start_reading(project=project, now=NOW)
    run()
    # The other model finds ripe first, and nothing else.
    text.words = {prompt: ["ripe"] for prompt in LEMON}

    model_readings.start_reading(project=project, rival=other, now=NOW)
    run()

    (likeness,) = likenesses(project, associations_by_model(project, ks=COMPARED_KS))
    assert (likeness.rival, likeness.nouns) == (other, 2)
    # Neither finds anything for the fig: 1, or left out. Our own model finds sour, and then three words.
    assert likeness.with_empty == {1: 0.5, 3: pytest.approx(2 / 3), 5: pytest.approx(2 / 3)}
    assert likeness.without_empty == {1: 0, 3: pytest.approx(1 / 3), 5: pytest.approx(1 / 3)}
    assert ("lemon", "ripe") in found(project)
    assert found(project)["lemon", "ripe"] == 3
