"""The pages about rivals: who sees them, who may change what, and what they say."""

from fractions import Fraction

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winogavil.domain import CREATE, SOLVE
from crowd.winogavil.services import association_verdicts as winogavil
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, RESEARCHER, REVIEWER
from hits.studies.models import Batch, Study
from scoring.admin.rival_facts import tell_rival
from scoring.models import PendingQuery, RegisteredRival, Score, StudyRival, Verdict
from scoring.services.rival_answers import answer_waiting
from tests.factories import NOW, make_assignment, make_association, make_batch, make_study, make_user
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import FakeRival, make_rival

pytestmark = pytest.mark.django_db


def solved_study(*, count: int = 1) -> Study:
    """Associations that the default rival has answered and one person has solved by half."""
    study = make_study()
    for number in range(count):
        association = make_association(study=study, size=5 if number % 2 else 6)
        Score.objects.create(
            assignment=make_assignment(status="approved"),
            item=association.item,
            measure="jaccard",
            numerator=Fraction(1, 2).numerator,
            denominator=2,
            scored_at=NOW,
        )
    winogavil.ask_rivals(now=NOW)
    answer_waiting(clock=lambda: NOW)
    return study


def test_models_stand_beside_people(client: Client, fake: type[FakeRival]) -> None:
    study = solved_study(count=2)
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse("admin:scoring_rivals", args=[study.pk])))

    assert "Over the 2 of 2 queries that people have solved" in page
    assert '<th scope="row">People</th><td></td><td class="number">50.0</td>' in page
    assert "minilm <small>bonuses are paid on it</small>" in page
    assert "5 pictures" in page


def test_a_study_without_items_says_so(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse("admin:scoring_rivals", args=[study.pk])))

    assert "Nothing was asked yet" in page
    assert "There is no other rival yet" in page


def test_rescoring_asks_another_rival_and_shows_how_far_it_is(client: Client, fake: type[FakeRival]) -> None:
    study = solved_study(count=2)
    rival = make_rival()
    sign_in(client, RESEARCHER, study)

    page = client.post(reverse("admin:scoring_rescore", args=[study.pk]), {"rival": "fake"}, follow=True)

    assert "2 queries are put to fake" in text_of(page)
    assert "0 of 2" in text_of(page)
    assert PendingQuery.objects.filter(rival=rival).count() == 2
    assert StudyRival.objects.filter(study=study, rival=rival, is_paid=False).exists()


def test_another_rival_is_paid_on_from_now_on(client: Client) -> None:
    study = make_study()
    make_rival()
    user = sign_in(client, RESEARCHER, study)

    page = client.post(reverse("admin:scoring_play", args=[study.pk]), {"rival": "fake"}, follow=True)

    assert "From now on bonuses are paid on fake" in text_of(page)
    assert StudyRival.objects.values_list("rival__name", "added_by").get(is_paid=True) == ("fake", user.pk)
    assert AuditEvent.objects.values_list("kind", "by", "study").get() == ("rival.paid_on", user.pk, study.pk)


@pytest.mark.parametrize("verb", ["scoring_rescore", "scoring_play"])
@pytest.mark.parametrize("role", [REVIEWER, PAYMENTS_APPROVER, OPERATOR])
def test_who_may_not_choose_rivals_changes_nothing(client: Client, role: str, verb: str) -> None:
    study = make_study()
    make_rival()
    sign_in(client, role, study)

    answer = client.post(reverse(f"admin:{verb}", args=[study.pk]), {"rival": "fake"})

    assert answer.status_code == 403
    assert not StudyRival.objects.exists()
    assert not PendingQuery.objects.exists()
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize("verb", ["scoring_rescore", "scoring_play", "scoring_rivals"])
def test_a_study_of_others_does_not_exist(client: Client, verb: str) -> None:
    study = make_study()
    make_rival()
    sign_in(client, RESEARCHER)

    answer = client.post(reverse(f"admin:{verb}", args=[study.pk]), {"rival": "fake"})

    assert answer.status_code == 404
    assert not StudyRival.objects.exists()


@pytest.mark.parametrize("verb", ["scoring_rescore", "scoring_play"])
def test_looking_changes_nothing(client: Client, verb: str) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    assert client.get(reverse(f"admin:{verb}", args=[study.pk])).status_code == 403


def test_a_model_of_text_alone_is_refused_in_words(client: Client) -> None:
    study = make_study()
    make_rival("bert", kind="masked")
    sign_in(client, RESEARCHER, study)

    page = client.post(reverse("admin:scoring_play", args=[study.pk]), {"rival": "bert"}, follow=True)

    assert "scores no pictures" in text_of(page)
    assert not StudyRival.objects.exists()


def test_verdicts_of_other_studies_are_not_listed(client: Client, fake: type[FakeRival]) -> None:
    study = solved_study()
    solved_study()
    sign_in(client, RESEARCHER, study)

    page = client.get(reverse("admin:scoring_verdict_changelist"))

    assert page.context["cl"].result_count == 1
    other = Verdict.objects.exclude(rival_query__study=study).get()
    assert client.get(reverse("admin:scoring_verdict_change", args=[other.pk])).status_code == 302


def test_rivals_show_how_far_they_know_the_pool(client: Client, fake: type[FakeRival]) -> None:
    study = solved_study()
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse("admin:scoring_registeredrival_changelist")))

    assert "6 of 6" in page
    assert "manage.py fetch_rival" in page
    assert RegisteredRival.objects.count() == 1


@pytest.mark.parametrize(
    "name",
    ["scoring_registeredrival_changelist", "scoring_studyrival_changelist", "scoring_verdict_changelist"],
)
def test_lists_need_a_permission(client: Client, name: str) -> None:
    client.force_login(make_user(is_staff=True))

    assert client.get(reverse(f"admin:{name}")).status_code == 403


def test_pages_ask_as_often_for_many_rows(client: Client, fake: type[FakeRival]) -> None:
    study = solved_study(count=2)
    sign_in(client, RESEARCHER, study)
    pages = [
        reverse("admin:scoring_studyrival_changelist"),
        reverse("admin:scoring_rivals", args=[study.pk]),
        reverse("admin:scoring_verdict_changelist"),
    ]
    counts = []
    for _ in range(2):
        for _ in range(3):
            make_association(study=study)
            make_study().members.add(User.objects.latest("pk"))
        winogavil.ask_rivals(now=NOW)
        answer_waiting(clock=lambda: NOW)
        counts.append([queries_of(client, page) for page in pages])

    assert counts[0] == counts[1]
    assert max(counts[0]) < 20


def queries_of(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(page).status_code == 200
    return len(queries)


def test_operators_state_what_is_known_of_a_model_and_nothing_else(client: Client) -> None:
    rival = make_rival("vilt", kind="cross")
    user = sign_in(client, OPERATOR)
    address = reverse("admin:scoring_registeredrival_change", args=[rival.pk])
    sent = {"pretraining_images": 4_100_000, "pretraining_captions": "", "trained_for": "matching"}

    client.post(address, {**sent, "name": "other", "parameters": 5})

    changed = RegisteredRival.objects.get(pk=rival.pk)
    assert (changed.name, changed.parameters) == ("vilt", None)
    assert (changed.pretraining_images, changed.pretraining_captions) == (4_100_000, None)
    event = AuditEvent.objects.get(kind="rival.facts")
    assert (event.by, event.words) == (
        user,
        "Of vilt it is said: pretraining images: 4100000; trained for: matching.",
    )


def test_researchers_read_what_is_known_of_a_model_and_change_nothing(client: Client) -> None:
    rival = make_rival("vilt", kind="cross")
    sign_in(client, RESEARCHER)

    answer = client.post(
        reverse("admin:scoring_registeredrival_change", args=[rival.pk]), {"trained_for": "x"}
    )

    assert answer.status_code == 403
    assert RegisteredRival.objects.get(pk=rival.pk).trained_for == ""


def play_against_clip(study: Study, name: str, *, is_paid: bool) -> None:
    rival = RegisteredRival.objects.create(
        name=name, kind="clip", model="openai/clip", path=name, weights_sha256="ab" * 32, added_at=NOW
    )
    StudyRival.objects.create(study=study, rival=rival, is_paid=is_paid, added_at=NOW)


def sentences_of(batch: Batch) -> list[str]:
    [fact] = tell_rival(batch)
    return list(fact.sentences)


def test_model_is_named_with_its_weights_and_those_beside_it() -> None:
    batch = make_batch(task=CREATE)
    play_against_clip(batch.study, "clip-large", is_paid=True)
    play_against_clip(batch.study, "clip-small", is_paid=False)

    assert sentences_of(batch) == [
        "Workers play against “clip-large”: bonuses are paid on its verdict.",
        "CLIP over pictures, openai/clip, weights abababababab.",
        "Recorded beside it, and paid on by nobody: “clip-small”.",
    ]


def test_model_of_the_settings_is_named_and_not_registered_by_a_look(settings: LazySettings) -> None:
    settings.RIVAL = "minilm"
    RegisteredRival.objects.filter(name="minilm").delete()

    assert sentences_of(make_batch(task=CREATE)) == [
        "Workers play against “minilm”: bonuses are paid on its verdict.",
        "It has answered nothing here yet, and its weights were not read.",
    ]
    assert not RegisteredRival.objects.exists()


def test_task_that_asks_no_model_names_none() -> None:
    assert list(tell_rival(make_batch(task=SOLVE))) == []
