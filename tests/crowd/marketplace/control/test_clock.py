"""One clock: turning it turns everything, through HTTP, and it does not matter who looks first."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.httpsession import URLLib3Session
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace import clock
from crowd.marketplace.models import HIT, Assignment, ClockShift, LedgerEntry
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services import work, worker_sign_in
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.site.session import COOKIE
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, hit_input, refused
from tests.crowd.marketplace.control_calls import CONTROL_KEY, control
from tests.crowd.marketplace.on_the_wire.test_stateful import StoppedClock
from tests.crowd.marketplace.rows import post_hit
from tests.crowd.marketplace.site import stranger, text_of
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A requester, a worker, and a clock that stops until it is turned."""

    sites: Sites
    api: Any
    credentials: Credentials
    worker: Worker
    began_at: datetime
    http: URLLib3Session

    def turn_to(self, ahead: timedelta) -> None:
        ClockShift.objects.update_or_create(pk=1, defaults={"ahead": ahead})

    def create(self, **changes: Any) -> str:
        hit_id: str = self.api.create_hit(**hit_input(**changes))["HIT"]["HITId"]
        return hit_id

    def work(self, action: str, hit_id: str) -> str:
        """Simulate an action of the worker; return the id of the assignment, or "refused"."""
        terms = {"action": action, "worker": self.worker.external_id, "hit": hit_id}
        status, answer = control(self.http, self.sites, "simulate", terms)
        return answer["assignment"] if status == 200 else "refused"

    def done(self, hit_id: str) -> str:
        self.work("accept", hit_id)
        return self.work("submit", hit_id)

    def status(self, hit_id: str) -> str:
        status: str = self.api.get_hit(HITId=hit_id)["HIT"]["HITStatus"]
        return status

    def assignment(self, external_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get_assignment(AssignmentId=external_id)["Assignment"]
        return found


def stage_at(
    began_at: datetime, sites: Sites, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> Stage:
    settings.MARKETPLACE_CONTROL_KEY = CONTROL_KEY
    settings.MARKETPLACE_KEY_RATE = 0
    monkeypatch.setattr(clock, "timezone", StoppedClock(began_at))
    credentials = make_requester(now=began_at)
    return Stage(
        sites=sites,
        api=client_of(sites, credentials),
        credentials=credentials,
        worker=invite(now=began_at)[0],
        began_at=began_at,
        http=URLLib3Session(),
    )


@pytest.fixture
def stage(sites: Sites, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return stage_at(timezone.now().replace(microsecond=0), sites, settings, monkeypatch)


def test_clock_without_the_control_key_is_the_machines(settings: LazySettings) -> None:
    ClockShift.objects.create(ahead=DAY)

    settings.MARKETPLACE_CONTROL_KEY = ""
    assert abs(clock.now() - timezone.now()) < timedelta(minutes=1)
    settings.MARKETPLACE_CONTROL_KEY = CONTROL_KEY
    assert abs(clock.now() - timezone.now() - DAY) < timedelta(minutes=1)


def test_turned_clock_leaves_signatures_alone(stage: Stage) -> None:
    for ahead in (timedelta(minutes=6), 400 * DAY):
        stage.turn_to(ahead)

        assert stage.api.get_account_balance()["AvailableBalance"] == "100.00"


def test_turned_clock_dates_what_is_made(stage: Stage) -> None:
    stage.turn_to(10 * DAY)

    hit = stage.api.get_hit(HITId=stage.create())["HIT"]

    assert hit["CreationTime"] == stage.began_at + 10 * DAY
    assert hit["Expiration"] == stage.began_at + 10 * DAY + timedelta(hours=1)
    assert set(LedgerEntry.objects.filter(account="held").values_list("created_at", flat=True)) == {
        stage.began_at + 10 * DAY
    }


def test_expiry_comes_at_its_second(stage: Stage) -> None:
    hit_id = stage.create(LifetimeInSeconds=3600)

    stage.turn_to(timedelta(hours=1) - SECOND)
    assert stage.status(hit_id) == "Assignable"
    stage.turn_to(timedelta(hours=1))
    assert stage.status(hit_id) == "Reviewable"
    assert stage.work("accept", hit_id) == "refused"


def test_deadline_comes_at_its_second(stage: Stage) -> None:
    hit_ids = [stage.create(AssignmentDurationInSeconds=600) for _ in range(2)]
    for hit_id in hit_ids:
        stage.work("accept", hit_id)

    stage.turn_to(timedelta(seconds=599))
    assert stage.work("submit", hit_ids[0]) != "refused"
    stage.turn_to(timedelta(seconds=600))
    assert stage.work("submit", hit_ids[1]) == "refused"
    assert stage.status(hit_ids[1]) == "Assignable"
    assert Assignment.objects.get(hit__external_id=hit_ids[1]).status == "Abandoned"


def test_late_submission_of_an_expired_hit_counts_until_the_deadline(stage: Stage) -> None:
    hit_id = stage.create(LifetimeInSeconds=60, AssignmentDurationInSeconds=600)
    stage.work("accept", hit_id)

    stage.turn_to(timedelta(seconds=599))

    assert stage.status(hit_id) == "Unassignable"
    assert stage.work("submit", hit_id) != "refused"
    assert stage.status(hit_id) == "Reviewable"


def test_auto_approval_comes_at_its_second_and_is_dated_so(stage: Stage) -> None:
    hit_id = stage.create(AutoApprovalDelayInSeconds=3 * 86_400)
    done = stage.done(hit_id)

    stage.turn_to(3 * DAY - SECOND)
    assert stage.assignment(done)["AssignmentStatus"] == "Submitted"
    stage.turn_to(50 * DAY)
    assert stage.assignment(done)["AssignmentStatus"] == "Approved"
    assert stage.assignment(done)["ApprovalTime"] == stage.began_at + 3 * DAY
    assert refused(stage.api.reject_assignment, AssignmentId=done, RequesterFeedback="No.") == Refusal(
        code="InvalidAssignmentState"
    )


@pytest.mark.parametrize("looks_between", [False, True])
def test_disposal_comes_120_days_after_the_end(stage: Stage, *, looks_between: bool) -> None:
    hit_id = stage.create(LifetimeInSeconds=3600)
    end = timedelta(hours=1)
    if looks_between:
        stage.turn_to(end)
        assert stage.status(hit_id) == "Reviewable"

    stage.turn_to(end + 120 * DAY - SECOND)
    assert stage.status(hit_id) == "Reviewable"
    stage.turn_to(end + 120 * DAY)
    assert stage.status(hit_id) == "Disposed"
    assert stage.api.list_hits()["HITs"] == []


def test_token_is_remembered_for_24_hours(stage: Stage) -> None:
    stage.create(UniqueRequestToken="once")

    stage.turn_to(DAY)
    again = hit_input(UniqueRequestToken="once")
    assert refused(stage.api.create_hit, **again) == Refusal(code="HitAlreadyExists")
    stage.turn_to(DAY + SECOND)
    stage.create(UniqueRequestToken="once")
    assert HIT.objects.count() == 2


@pytest.mark.parametrize(
    ("after", "is_late"), [(30 * DAY, False), (30 * DAY + SECOND, True), (31 * DAY, True)]
)
def test_override_ends_after_30_days(stage: Stage, after: timedelta, *, is_late: bool) -> None:
    done = stage.done(stage.create())
    stage.api.reject_assignment(AssignmentId=done, RequesterFeedback="No.")

    stage.turn_to(after)

    terms = {"AssignmentId": done, "OverrideRejection": True}
    if is_late:
        assert refused(stage.api.approve_assignment, **terms) == Refusal(code="InvalidAssignmentState")
        assert stage.assignment(done)["AssignmentStatus"] == "Rejected"
    else:
        stage.api.approve_assignment(**terms)
        assert stage.assignment(done)["AssignmentStatus"] == "Approved"


# Clock changes of other zones, a leap day, and the last second of a year.
@pytest.mark.parametrize(
    "began_at",
    [
        datetime(2026, 3, 8, 6, 59, 30, tzinfo=UTC),
        datetime(2026, 3, 29, 0, 59, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 59, 30, tzinfo=UTC),
        datetime(2026, 11, 1, 5, 59, 30, tzinfo=UTC),
        datetime(2026, 12, 31, 23, 59, 30, tzinfo=UTC),
        datetime(2028, 2, 28, 23, 59, 30, tzinfo=UTC),
    ],
    ids=str,
)
def test_midnight_and_summer_time_change_nothing(
    began_at: datetime, sites: Sites, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stage_at(began_at, sites, settings, monkeypatch)
    hit_id = stage.create(LifetimeInSeconds=3600, AssignmentDurationInSeconds=7200)
    stage.work("accept", hit_id)

    told = stage.api.get_hit(HITId=hit_id)["HIT"]
    assert told["Expiration"] == began_at + timedelta(hours=1)
    stage.turn_to(timedelta(hours=2) - SECOND)
    assert stage.status(hit_id) == "Unassignable"
    stage.turn_to(timedelta(hours=2))
    assert stage.status(hit_id) == "Reviewable"
    stage.turn_to(timedelta(hours=1) + 120 * DAY)
    assert stage.status(hit_id) == "Disposed"


# A periodic task and every read settle alike.


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Work of which something of every kind is due at some later instant."""

    stage: Stage
    hit_ids: list[str]
    done: str
    pending: str


def make_scene(stage: Stage) -> Scene:
    expiring = stage.create(
        MaxAssignments=2, LifetimeInSeconds=3600, AutoApprovalDelayInSeconds=600, Reward="1.00"
    )
    abandoned = stage.create(Title="Second", AssignmentDurationInSeconds=600, LifetimeInSeconds=86_400)
    done = stage.done(expiring)
    pending = stage.work("accept", abandoned)
    return Scene(stage=stage, hit_ids=[expiring, abandoned], done=done, pending=pending)


Read = Callable[[Scene], object]


def without_metadata(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def page(scene: Scene, path: str) -> str:
    """Text of the page that the worker reads at this path."""
    browser = stranger()
    browser.cookies[COOKIE] = worker_sign_in.sign_in(worker=scene.stage.worker, now=clock.now())
    response = browser.get(path)
    assert response.status_code == 200
    return text_of(response)


READS: dict[str, Read] = {
    "GetHIT of the expired": lambda s: without_metadata(s.stage.api.get_hit(HITId=s.hit_ids[0])),
    "GetHIT of the abandoned": lambda s: without_metadata(s.stage.api.get_hit(HITId=s.hit_ids[1])),
    "ListHITs": lambda s: without_metadata(s.stage.api.list_hits()),
    "ListReviewableHITs": lambda s: without_metadata(s.stage.api.list_reviewable_hits()),
    "ListAssignmentsForHIT": lambda s: without_metadata(
        s.stage.api.list_assignments_for_hit(HITId=s.hit_ids[0])
    ),
    "GetAssignment": lambda s: without_metadata(s.stage.api.get_assignment(AssignmentId=s.done)),
    "GetAccountBalance": lambda s: without_metadata(s.stage.api.get_account_balance()),
    "the list of work": lambda s: page(s, "/"),
    "the queue": lambda s: page(s, "/work/"),
    "the history": lambda s: page(s, "/history/"),
    "the earnings": lambda s: page(s, "/earnings/"),
    "the work": lambda s: page(s, f"/work/{s.pending}/"),
}


@contextmanager
def put_back(scene: Scene) -> Iterator[None]:
    """Undo what a read has settled, so that the next read finds the same unsettled rows."""
    models = (HIT, Assignment, Requester, Worker)
    before = {model: {row.pk: row for row in model.objects.all()} for model in models}
    newest = LedgerEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    yield
    LedgerEntry.objects.filter(pk__gt=newest).delete()
    for rows in before.values():
        for row in rows.values():
            row.save()


@pytest.mark.parametrize(
    "ahead", [timedelta(0), timedelta(seconds=600), timedelta(hours=2), 125 * DAY], ids=str
)
def test_every_read_agrees_with_the_periodic_task(stage: Stage, ahead: timedelta) -> None:
    scene = make_scene(stage)
    stage.turn_to(ahead)

    unsettled = {}
    for name, read in READS.items():
        with put_back(scene):
            unsettled[name] = read(scene)
    work.settle(now=clock.now())
    settled = {name: read(scene) for name, read in READS.items()}

    assert unsettled == settled


def test_settling_once_is_settling_every_minute(stage: Stage) -> None:
    """Everything is dated when it was due, however long nobody looked."""

    def outcome(hit: HIT) -> object:
        hit.refresh_from_db()
        rows = hit.assignments.order_by("pk").values("status", "approved_at", "submitted_at")
        return hit.closed_at, hit.disposed_at is None, hit.pending, hit.approved, list(rows)

    now = stage.began_at
    made: list[HIT] = []
    for _ in range(2):
        credentials = make_requester(now=now)
        hit = post_hit(
            requester=credentials.requester,
            max_assignments=3,
            lifetime=timedelta(minutes=30),
            duration_s=1200,
            delay_s=600,
            now=now,
        )
        for submits in (True, False):
            assignment = work.accept_hit(hit_id=hit.pk, worker=invite(now=now)[0], now=now)
            if submits:
                work.submit_assignment(assignment=assignment, answer="<answer/>", now=now)
        made.append(hit)
        if len(made) == 1:
            for minute in range(61):
                work.settle(now=now + timedelta(minutes=minute))

    work.settle(now=now + timedelta(minutes=60))

    assert outcome(made[0]) == outcome(made[1])
