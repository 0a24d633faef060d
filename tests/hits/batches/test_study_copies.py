"""A study made like another has its settings, and none of its people's work, money or data."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from crowd.plain.models import Project as OwnQuestions
from crowd.plain.queries.described_pages import described
from crowd.winogavil.models import Game
from crowd.winoventi.models import Noun
from crowd.winoventi.models import Project as Exceptions
from crowd.winoventi.procedure.services.projects import open_project
from hits.batches.services import drafting
from hits.batches.services.study_copies import SETTINGS, copy_study
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import Batch, Study
from qualifications.models import ConsentText, Gate
from qualifications.services.consenting import digest_of, publish_text, write_draft
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_user
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
RULES = [{"name": "right", "measure": "jaccard", "at_least": 80, "amount": "0.05"}]


@pytest.fixture
def source(db: None) -> Study:
    return make_study(
        name="First", lab="Lab of words", time_zone="Europe/Berlin", bonus_rules=RULES, wage_floor=Decimal(9)
    )


@pytest.fixture
def by(source: Study) -> User:
    return make_member(RESEARCHER, source)


def copied(source: Study, by: User, **changes: object) -> Study:
    values = {"name": "Second", "budget": Decimal(50), "same_people": True, **changes}
    return copy_study(source=source, by=by, now=NOW, **values)  # type: ignore[arg-type]


def test_copy_has_the_settings_and_a_budget_of_its_own(source: Study, by: User) -> None:
    study = copied(source, by)

    assert {name: getattr(study, name) for name in SETTINGS} == {
        name: getattr(source, name) for name in SETTINGS
    }
    assert (study.budget, study.reserved, study.grant_code) == (Decimal(50), Decimal(0), "")
    assert [entry.amount for entry in LedgerEntry.objects.filter(study=study)] == [Decimal(50)]
    assert AuditEvent.objects.get(study=study, kind="study.copied").by == by


def test_nothing_of_the_work_goes_along(source: Study, by: User) -> None:
    batch = make_batch(study=source, status="open")
    make_assignment(hit=make_hit(batch=batch))

    study = copied(source, by)

    assert not Batch.objects.filter(study=study).exists()
    assert Batch.objects.filter(study=source).count() == 1


@pytest.mark.parametrize(("same_people", "names"), [(True, {"me", "colleague"}), (False, {"me"})])
def test_copy_is_seen_by_the_same_people_only_if_that_is_wanted(
    source: Study, by: User, same_people: bool, names: set[str]
) -> None:
    by.username = "me"
    by.save()
    source.members.add(make_user(username="colleague"))

    study = copied(source, by, same_people=same_people)

    assert set(study.members.values_list("username", flat=True)) == names


def test_drafts_start_with_the_terms_of_the_newest_batch_of_their_task(source: Study, by: User) -> None:
    make_batch(study=source, status="complete", reward=Decimal("0.10"))
    newest = make_batch(study=source, status="open", reward=Decimal("0.35"), duration_s=321)
    make_batch(study=source, status="draft", reward=Decimal("9.99"))

    study = copied(source, by)

    terms = drafting.first_terms(newest.task, study=study)
    assert (terms.reward, terms.duration_s) == (Decimal("0.35"), 321)


def test_projects_are_copied_with_their_settings_but_not_with_their_batches(source: Study, by: User) -> None:
    batch = make_batch(study=source, status="open")
    Game.objects.create(study=source, selection_threshold=70, solve_batch=batch, grows=True)
    project = open_project(study=source, answers_wanted=5)
    project.steps.filter(kind="premises").update(by_itself=True, most_per_worker=7, batch=batch)
    Noun.objects.create(project=project, number=1, word="bat")

    study = copied(source, by)

    game, procedure = Game.objects.get(study=study), Exceptions.objects.get(study=study)
    assert (game.selection_threshold, game.solve_batch, game.grows) == (70, None, False)
    step = procedure.steps.get(kind="premises")
    assert (procedure.answers_wanted, step.by_itself, step.most_per_worker, step.batch) == (5, True, 7, None)
    assert procedure.steps.count() == project.steps.count()
    assert list(procedure.nouns.values_list("word", flat=True)) == ["bat"]


def test_page_of_own_questions_is_copied_without_its_rows(source: Study, by: User) -> None:
    text = "title: Colors\n\nquestion: Which color?\nkey: color\ntype: text\n"
    project = OwnQuestions.objects.create(study=source, answers_wanted=4)
    kept = project.descriptions.create(version=3, text=text, written_by=by, changed_at=NOW)

    study = copied(source, by)

    mine = OwnQuestions.objects.get(study=study)
    copy = described(mine)
    assert copy is not None
    assert (mine.answers_wanted, copy.version, copy.text) == (4, 1, kept.text)
    assert not copy.rows.exists()


def test_gates_are_copied_switched_off_and_the_consent_as_a_draft(source: Study, by: User) -> None:
    gate = Gate.objects.create(
        study=source, name="Solver test", test_task="winogavil.solver_test", opens=["winogavil.solve"],
        rules=[{"measure": "jaccard", "above": 80}], items=10, followed_to=99,
    )  # fmt: skip
    text = write_draft(
        study=source, title="Consent", text="You agree.", asks_demographics=True, by=by, now=NOW
    )
    publish_text(text=text, seen=digest_of(text), by=by, now=NOW)

    study = copied(source, by)

    mine = Gate.objects.get(study=study)
    assert (mine.name, mine.rules, mine.opens) == (gate.name, gate.rules, gate.opens)
    assert (mine.is_active, mine.followed_to, mine.public_id == gate.public_id) == (False, 0, False)
    draft = ConsentText.objects.get(study=study)
    assert (draft.text, draft.asks_demographics, draft.published_at) == ("You agree.", True, None)


def test_a_taken_name_is_refused_and_nothing_is_made(source: Study, by: User) -> None:
    with pytest.raises(RuleBroken, match="There is a study called “First” already"):
        copied(source, by, name="First")

    assert Study.objects.count() == 1


def test_study_is_copied_on_its_page_in_two_clicks(client: Client, source: Study) -> None:
    sign_in(client, RESEARCHER, source)
    address = reverse("admin:hits_study_copy", args=[source.pk])
    overview = client.get(reverse("admin:hits_study_change", args=[source.pk])).content.decode()
    form = client.get(address)
    initial = {name: form.context["form"][name].value() for name in form.context["form"].fields}

    twice = [client.post(address, {**initial, "same_people": "on", "confirmed": "yes"}) for _ in range(2)]

    study = Study.objects.exclude(pk=source.pk).get()
    assert f'href="{address}"' in overview
    assert study.name == "First, copy"
    assert twice[0].headers["Location"] == reverse("admin:hits_study_change", args=[study.pk])
    assert (twice[1].status_code, Study.objects.count()) == (400, 2)


def test_study_is_copied_only_by_who_may_make_one_and_sees_it(client: Client, source: Study) -> None:
    sign_in(client, REVIEWER, source)
    refused = client.get(reverse("admin:hits_study_copy", args=[source.pk]))
    sign_in(client, RESEARCHER, make_study())

    hidden = client.get(reverse("admin:hits_study_copy", args=[source.pk]))

    assert (refused.status_code, hidden.status_code) == (403, 404)
