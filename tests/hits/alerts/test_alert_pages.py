"""Each person chooses what they are told, sees what they were told, and sets a study's address."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.alerts.models import Alert, AlertChoice, AlertHook, How, Kind
from hits.alerts.services.finding_occurrences import find_occurrences
from hits.alerts.services.sending_alerts import tell_staff
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import AUTHOR, OPERATOR, PAYMENTS_APPROVER, RESEARCHER, REVIEWER
from hits.payments.models.runs import Run
from hits.review.models import Appeal
from tests.factories import NOW, make_study
from tests.hits.alerts.happenings import end_batch, freeze_run, make_appeal
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
PAGE = "admin:hits_alerts"


def shown_kinds(page: str) -> list[str]:
    return re.findall(r'<select name="(\w+)"', page)


def tell(now: Any = NOW) -> None:
    find_occurrences(now=now)
    tell_staff(now=now)


def test_only_kinds_whose_page_one_may_open_can_be_chosen(client: Client) -> None:
    study = make_study()
    shown = {}
    for role in (RESEARCHER, REVIEWER, PAYMENTS_APPROVER, AUTHOR):
        sign_in(client, role, study)
        answer = client.get(reverse(PAGE))
        shown[role] = shown_kinds(text_of(answer)) if answer.status_code == 200 else answer.status_code

    batches = [Kind.ENDED, Kind.PAUSED, Kind.UNFUNDED, Kind.IDLE, Kind.EMPTY, Kind.EARLY]
    assert shown[RESEARCHER] == [*batches, Kind.RUN, Kind.DECIDED, Kind.APPEAL]
    assert shown[REVIEWER] == batches
    assert shown[PAYMENTS_APPROVER] == [*batches, Kind.RUN, Kind.DECIDED, Kind.APPEAL]
    assert shown[AUTHOR] == 403


def test_the_page_says_what_is_usual_for_the_role(client: Client) -> None:
    sign_in(client, REVIEWER, make_study())
    reviewer = text_of(client.get(reverse(PAGE)))
    sign_in(client, OPERATOR)

    operator = text_of(client.get(reverse(PAGE)))

    assert "As usual: not at all" in reviewer
    assert "on the home page and by e-mail" not in reviewer
    assert "As usual: on the home page and by e-mail; where you are no member, on the home page" in operator


def test_choices_are_kept_for_all_studies_and_for_one_and_are_on_record(client: Client) -> None:
    study = make_study(name="Owls")
    user = sign_in(client, RESEARCHER, study)
    everything = {kind.value: "" for kind in Kind}

    client.post(reverse(PAGE), {**everything, "ended": How.HOME})
    client.post(f"{reverse(PAGE)}?study={study.pk}", {**everything, "ended": How.OFF})
    page = text_of(client.get(f"{reverse(PAGE)}?study={study.pk}"))
    rows = {(row.study, row.kind, row.how) for row in AlertChoice.objects.filter(user=user)}
    client.post(f"{reverse(PAGE)}?study={study.pk}", everything)

    assert rows == {(None, Kind.ENDED, How.HOME), (study, Kind.ENDED, How.OFF)}
    assert "As for all studies: on the home page" in page
    assert AlertChoice.objects.filter(user=user, study=study).count() == 0
    audited = AuditEvent.objects.filter(kind="alert.chosen").order_by("pk")
    assert [(one.by, one.study, one.words) for one in audited] == [
        (user, None, "Chose what to be told: A batch has ended: on the home page."),
        (user, study, "Chose what to be told: A batch has ended: not at all."),
        (user, study, "Chose what to be told: A batch has ended: as usual."),
    ]


def test_choices_for_studies_of_others_and_wrong_ones_are_refused(client: Client) -> None:
    sign_in(client, RESEARCHER, make_study())
    foreign = make_study()

    answers = [
        client.post(f"{reverse(PAGE)}?study={foreign.pk}", {"ended": How.HOME}).status_code,
        client.post(f"{reverse(PAGE)}?study=x", {"ended": How.HOME}).status_code,
        client.post(reverse(PAGE), {"ended": "loudly"}).status_code,
    ]

    assert answers == [404, 404, 400]
    assert not AlertChoice.objects.exists()


def test_without_a_mail_server_the_page_names_the_setting(client: Client, settings: LazySettings) -> None:
    settings.EMAIL_HOST = ""
    sign_in(client, RESEARCHER, make_study())
    without = text_of(client.get(reverse(PAGE)))
    settings.EMAIL_HOST = "mail.example.org"
    no_address = text_of(client.get(reverse(PAGE)))
    sign_in(client, RESEARCHER, make_study(), email="ada@example.org")

    assert "CROWD_EMAIL_URL" in without
    assert "Your account has no e-mail address" in no_address
    assert 'class="note warn"' not in text_of(client.get(reverse(PAGE)))


def test_a_test_message_is_queued_a_few_times_a_minute(
    client: Client, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hits.common.rates.time", lambda: 1000.0)  # the minute does not end in between
    settings.EMAIL_HOST = "mail.example.org"
    user = sign_in(client, RESEARCHER, make_study(), email="ada@example.org")

    pages = [text_of(client.post(reverse("admin:hits_alerts_test"), follow=True)) for _ in range(5)]

    assert "A test message goes to ada@example.org" in pages[0]
    assert "Wait a minute" in pages[-1]
    assert Alert.objects.filter(user=user, status=Alert.Status.WAITING).count() < 5


def test_the_home_page_shows_what_happened_until_it_is_seen(client: Client) -> None:
    study = make_study()
    user = sign_in(client, RESEARCHER, study)
    batch = end_batch(study=study, title="Owls at night", at=timezone.now())
    tell(timezone.now())

    before = text_of(client.get(reverse("admin:index")))
    client.post(reverse("admin:hits_alerts_seen"))
    after = text_of(client.get(reverse("admin:index")))

    assert "“Owls at night”" in before
    assert reverse("admin:hits_batch_live", args=[batch.pk]) in before
    assert '<span class="tag">new</span>' in before
    assert "“Owls at night”" in after
    assert '<span class="tag">new</span>' not in after
    assert Alert.objects.get(user=user).seen_at is not None


def test_what_one_may_not_see_any_more_leaves_the_home_page(client: Client) -> None:
    study, other = make_study(), make_study()
    user = sign_in(client, PAYMENTS_APPROVER, study, other)
    freeze_run(study=study)
    make_appeal(study=study)
    tell()
    before = text_of(client.get(reverse("admin:index")))

    user.studies.remove(study)
    after = text_of(client.get(reverse("admin:index")))

    assert "waits for approval" in before
    assert "A worker asks about" in before
    assert "What happened lately" not in after


def test_a_run_that_was_decided_on_is_no_news(client: Client) -> None:
    study = make_study()
    sign_in(client, PAYMENTS_APPROVER, study)
    run = freeze_run(study=study)
    tell()
    before = text_of(client.get(reverse("admin:index")))

    Run.objects.filter(pk=run.pk).update(status=Run.Status.VOID)
    after = text_of(client.get(reverse("admin:index")))

    assert "waits for approval" in before
    assert "waits for approval" not in after


def test_an_appeal_that_was_answered_is_no_news(client: Client) -> None:
    study = make_study()
    sign_in(client, PAYMENTS_APPROVER, study)
    appeal = make_appeal(study=study)
    tell()
    before = text_of(client.get(reverse("admin:index")))

    Appeal.objects.filter(pk=appeal.pk).update(status="withdrawn")
    after = text_of(client.get(reverse("admin:index")))

    assert "A worker asks about" in before
    assert "A worker asks about" not in after


def test_seeing_marks_only_ones_own(client: Client) -> None:
    study = make_study()
    other = make_member(RESEARCHER, study)
    sign_in(client, RESEARCHER, study)
    end_batch(study=study)
    tell()

    client.post(reverse("admin:hits_alerts_seen"))

    assert Alert.objects.get(user=other).seen_at is None


def test_many_news_cost_the_home_page_and_the_page_no_more_queries(client: Client) -> None:
    study = make_study()
    user = sign_in(client, RESEARCHER, study)
    counts = []
    for number in (1, 20):
        for _ in range(number):
            end_batch(study=study)
        tell(NOW + timedelta(hours=number))
        user.studies.add(make_study())
        for address in (reverse("admin:index"), reverse(PAGE)):
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            counts.append(len(queries))

    assert counts[:2] == counts[2:]
    assert max(counts) <= 25, counts


def hook_page(study: Any) -> str:
    return reverse("admin:hits_alerts_hook", args=[study.pk])


def test_a_study_gets_an_address_whose_key_is_shown_once(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)
    sent = {"address": "http://127.0.0.1:9/chat/secret-path", "kinds": ["ended", "run"], "is_on": "on"}

    first = text_of(client.post(hook_page(study), sent))
    later = text_of(client.get(hook_page(study)))
    hook = AlertHook.objects.get(study=study)

    assert hook.secret in first
    assert (hook.address, hook.kinds, hook.is_on) == (sent["address"], ["ended", "run"], True)
    assert hook.secret not in later
    assert "secret-path" not in later
    assert "127.0.0.1:9" in later


def test_changing_the_kinds_keeps_address_and_key(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)
    client.post(hook_page(study), {"address": "http://127.0.0.1:9/a", "kinds": ["ended"], "is_on": "on"})
    before = AlertHook.objects.get()

    client.post(hook_page(study), {"address": "", "kinds": ["appeal"]})
    after = AlertHook.objects.get()
    client.post(hook_page(study), {"address": "", "kinds": ["appeal"], "new_secret": "on"})

    assert (after.address, after.secret, after.kinds, after.is_on) == (
        before.address,
        before.secret,
        ["appeal"],
        False,
    )
    assert AlertHook.objects.get().secret != before.secret


def test_a_wrong_address_is_refused_beside_the_field_and_nothing_is_kept(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    answer = client.post(hook_page(study), {"address": "https://10.0.0.1/x", "kinds": ["ended"]})

    assert answer.status_code == 400
    assert "is not a public address" in text_of(answer)
    assert not AlertHook.objects.exists()


@pytest.mark.parametrize("name", ["hits_alerts_hook", "hits_alerts_hook_test", "hits_alerts_hook_remove"])
def test_addresses_belong_to_who_may_change_the_study(client: Client, name: str) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)
    client.post(hook_page(study), {"address": "http://127.0.0.1:9/a", "kinds": ["ended"], "is_on": "on"})
    address, answers = reverse(f"admin:{name}", args=[study.pk]), []

    for role, own in ((RESEARCHER, []), (REVIEWER, [study])):
        sign_in(client, role, *own)
        answers.append(client.post(address, {"address": "http://127.0.0.1:9/b"}).status_code)

    assert answers == [404, 403]
    assert AlertHook.objects.get().address == "http://127.0.0.1:9/a"
    assert not Alert.objects.exists()


def test_an_address_is_tried_and_removed(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)
    client.post(hook_page(study), {"address": "http://127.0.0.1:9/a", "kinds": ["ended"], "is_on": "on"})

    tried = text_of(client.post(reverse("admin:hits_alerts_hook_test", args=[study.pk]), follow=True))
    client.post(reverse("admin:hits_alerts_hook_remove", args=[study.pk]))

    assert "A test message: what is sent arrives." in tried
    assert "Waits to be sent" in tried
    assert not AlertHook.objects.exists()
