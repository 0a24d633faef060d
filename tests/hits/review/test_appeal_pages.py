"""The pages of appeals: open ones come first, who may answer, and a refused answer changes nothing."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import ROLES
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.services import accrual
from hits.review.models import Appeal
from hits.review.services.appeal_handling import answer_appeal
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from tests.factories import make_assignment, make_batch, make_bonus, make_hit, make_study, make_user
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
LIST = "/admin/hits/appeal/"
ANSWER = {"granted": "no", "answer": "Two of three were right.", "amount": ""}
MAY_ANSWER = {role for role, rights in ROLES.items() if "hits.answer_appeal" in rights}
MAY_LOOK = {role for role, rights in ROLES.items() if "hits.view_appeal" in rights}


def make_work(study: Study, **changes: Any) -> Assignment:
    values: dict[str, Any] = {"status": "approved", **changes}
    return make_assignment(**{"hit": make_hit(batch=make_batch(status="open", study=study)), **values})


def make_appeal(work: Assignment, *, days: float = 0, **changes: Any) -> Appeal:
    values: dict[str, Any] = {"text": "I picked all three.", "made_at": timezone.now() - timedelta(days=days)}
    return Appeal.objects.create(assignment=work, worker=work.worker, **{**values, **changes})


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def appeal(study: Study) -> Appeal:
    return make_appeal(make_work(study))


def page_of(appeal: Appeal) -> str:
    return reverse("admin:hits_appeal_change", args=[appeal.pk])


def send(client: Client, appeal: Appeal, **changes: str) -> Any:
    return client.post(reverse("admin:hits_appeal_answer", args=[appeal.pk]), {**ANSWER, **changes})


def everything() -> list[Any]:
    rows = (Appeal, Bonus, LedgerEntry, AuditEvent, Decision)
    return [list(model._default_manager.order_by("pk").values()) for model in rows]


def test_list_shows_who_waits_longest_first_and_what_is_overdue(client: Client, study: Study) -> None:
    sign_in(client, "researcher", study)
    old = make_appeal(make_work(study), days=9, status="answered", answer="No.", answered_by=make_user())
    new, overdue = (make_appeal(make_work(study), days=days) for days in (1, 4))

    page = client.get(LIST)

    assert [row.pk for row in page.context["cl"].result_list] == [overdue.pk, new.pk, old.pk]
    text = " ".join(page.content.decode().split())
    assert "<strong>2</strong> wait for an answer" in text
    assert "1 for more than 3 days" in text
    assert text.count("Overdue: waits") == 1


@pytest.mark.parametrize(("waiting", "count"), [("open", 2), ("overdue", 1), ("", 3)])
def test_list_is_narrowed_to_what_waits(client: Client, study: Study, waiting: str, count: int) -> None:
    sign_in(client, "researcher", study)
    make_appeal(make_work(study), days=9, status="withdrawn")
    for days in (1, 4):
        make_appeal(make_work(study), days=days)

    page = client.get(LIST, {"waiting": waiting} if waiting else {})

    assert len(page.context["cl"].result_list) == count


def test_empty_list_says_so(client: Client, study: Study) -> None:
    sign_in(client, "researcher", study)

    assert "Their appeals are listed here, to be answered." in text_of(client.get(LIST))


def test_appeal_of_a_study_that_is_not_seen_is_not_there(client: Client, appeal: Appeal) -> None:
    sign_in(client, "researcher", make_study())
    before = everything()

    answers = [client.get(page_of(appeal)).status_code, send(client, appeal).status_code]

    assert answers == [404, 404]
    assert client.get(LIST).context["cl"].result_count == 0
    assert everything() == before


@pytest.mark.parametrize("role", [*ROLES, "nobody"])
def test_each_role_looks_and_answers_as_the_table_says(
    client: Client, study: Study, appeal: Appeal, role: str
) -> None:
    Group.objects.create(name="nobody")
    sign_in(client, role, study)
    before = everything()

    looked, answered = client.get(page_of(appeal)).status_code, send(client, appeal).status_code

    assert (looked == 200, answered == 302) == (role in MAY_LOOK, role in MAY_ANSWER)
    assert (everything() == before) == (role not in MAY_ANSWER)


def test_page_shows_the_work_its_money_and_its_history(client: Client, study: Study) -> None:
    sign_in(client, "researcher", study)
    work = make_work(study)
    make_bonus(assignment=work, amount=Decimal("0.07"), reason="A tier.")
    make_appeal(work, status="withdrawn", text="An earlier one.")
    appeal = make_appeal(work, text="<i>Why</i>\nso little?")

    text = text_of(client.get(page_of(appeal)))

    for words in (
        "&lt;i&gt;Why&lt;/i&gt;",
        "$0.07",
        "A tier.",
        "An earlier one.",
        "on this same work",
        "Review it",
    ):
        assert words in text
    for hidden in (work.worker.external_id, work.external_id):
        assert hidden not in text


def test_answer_is_kept_and_the_next_one_is_shown(client: Client, study: Study, appeal: Appeal) -> None:
    user = sign_in(client, "researcher", study)
    following = make_appeal(make_work(study))

    first = send(client, appeal)
    last = send(client, following)

    appeal.refresh_from_db()
    assert (appeal.status, appeal.answer, appeal.answered_by) == ("answered", ANSWER["answer"], user)
    assert (first["Location"], last["Location"]) == (page_of(following), LIST)


def test_granted_amount_is_owed_and_waits_for_two_people(
    client: Client, study: Study, appeal: Appeal, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(client, "researcher", study)
    made: list[Any] = []

    def owe_extra(**values: Any) -> Bonus:
        made.append(values["amount"])
        return make_bonus(
            assignment=values["assignment"], amount=values["amount"], rule="appeal", status="owed"
        )

    monkeypatch.setattr(accrual, "owe_extra", owe_extra)

    answer = send(client, appeal, granted="yes", amount="0.25")
    page = client.get(answer["Location"])

    assert made == [Decimal("0.25")]
    assert Appeal.objects.get().status == "granted"
    assert "$0.25 are owed, and wait for a bonus run of two people." in text_of(page)


def test_page_says_what_granting_does_and_granting_does_it(client: Client, study: Study) -> None:
    sign_in(client, "researcher", study)
    appeal = make_appeal(make_work(study, status="rejected", submitted_at=timezone.now()))

    before = text_of(client.get(page_of(appeal)))
    after = text_of(client.get(send(client, appeal, granted="yes")["Location"]))

    assert "Granting takes the rejection back and approves the work" in before
    assert "The work is approved in a moment." in after
    assert Decision.objects.get().kind == "override"


def test_who_may_not_review_is_told_before_and_grants_nothing(client: Client, study: Study) -> None:
    sign_in(client, "payments preparer", study)
    appeal = make_appeal(make_work(study, status="rejected", submitted_at=timezone.now()))
    before = everything()

    page, answer = client.get(page_of(appeal)), send(client, appeal, granted="yes")

    assert "you may not decide on work" in text_of(page)
    assert answer.status_code == 409
    assert everything() == before


def test_who_may_not_grant_is_offered_no_grant_and_hears_whom_to_ask(client: Client, study: Study) -> None:
    sign_in(client, "payments preparer", study)
    appeal = make_appeal(make_work(study, status="rejected", submitted_at=timezone.now()))
    make_member("researcher", make_study(), username="elsewhere")
    make_member("operator", username="olga")
    alone = text_of(client.get(page_of(appeal)))
    make_member("researcher", study, username="rosa")
    make_member("reviewer", study, username="reviews-but-answers-nobody")

    page = text_of(client.get(page_of(appeal)))
    client.force_login(User.objects.get(username="rosa"))
    offered = text_of(client.get(page_of(appeal)))

    assert "No member of the study may. One can be added by olga." in alone
    assert "Ask a member of the study who may: rosa." in page
    assert ("Granted: the worker is right" in page, "Owe an extra amount" in page) == (False, False)
    assert ("Granted: the worker is right" in offered, "Owe an extra amount" in offered) == (True, True)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"answer": ""}, 400),
        ({"answer": "x" * 2001}, 400),
        ({"granted": ""}, 400),
        ({"granted": "perhaps"}, 400),
        ({"granted": "yes", "amount": "-1"}, 400),
        ({"granted": "yes", "amount": "0.001"}, 400),
        ({"granted": "yes", "amount": "NaN"}, 400),
        ({"granted": "yes", "amount": "1e9"}, 400),
        ({"granted": "no", "amount": "1"}, 409),
    ],
    ids=lambda value: (
        "-".join(f"{name}={text[:6]}" for name, text in value.items()) if isinstance(value, dict) else ""
    ),
)
def test_unclear_answer_comes_back_and_changes_nothing(
    client: Client, study: Study, appeal: Appeal, changes: dict[str, str], status: int
) -> None:
    sign_in(client, "researcher", study)
    before = everything()

    page = send(client, appeal, **changes)

    assert page.status_code == status
    assert everything() == before
    assert changes.get("answer", ANSWER["answer"])[:20] in text_of(page)


def test_second_answer_is_told_and_what_was_written_is_not_lost(
    client: Client, study: Study, appeal: Appeal
) -> None:
    sign_in(client, "researcher", study)
    sooner = make_user(username="sooner", is_superuser=True)
    answer_appeal(appeal=appeal, granted=False, answer="First.", amount=None, by=sooner, now=timezone.now())
    before = everything()

    page = send(client, appeal, answer="My own long answer.")

    assert page.status_code == 409
    assert everything() == before
    text = text_of(page)
    assert "ooner has just answered this." in text  # the theme begins it with a capital
    assert "My own long answer." in text
    assert "Send the answer" not in text


def test_page_takes_no_post_of_its_own(client: Client, appeal: Appeal, study: Study) -> None:
    sign_in(client, "researcher", study)

    assert client.post(page_of(appeal), ANSWER).status_code == 403
    assert client.get(reverse("admin:hits_appeal_answer", args=[appeal.pk])).status_code == 405


def test_answer_without_the_csrf_token_is_refused(appeal: Appeal, study: Study) -> None:
    client = Client(enforce_csrf_checks=True)
    sign_in(client, "researcher", study)

    assert send(client, appeal).status_code == 403
    assert Appeal.objects.get().status == "open"


def test_pages_take_few_queries_whatever_there_is(client: Client, study: Study) -> None:
    sign_in(client, "researcher", study)
    work = make_work(study)
    appeal = make_appeal(work)

    def count() -> list[int]:
        counts = []
        for address in (LIST, page_of(appeal)):
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            counts.append(len(queries))
        return counts

    count()
    few = count()
    for number in range(60):
        make_appeal(make_work(study, hit=work.hit, worker=work.worker), status="withdrawn")
        make_bonus(assignment=work, rule=f"rule {number}")
    many = count()

    assert many == few
    assert max(many) <= 10
