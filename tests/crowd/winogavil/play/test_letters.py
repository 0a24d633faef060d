"""Daily feedback to paid workers: by the study's days, each worker once, off until switched on."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from crowd.winogavil.domain import CREATE, FOOL, JACCARD, SOLVABLE, SOLVE
from crowd.winogavil.models import Association
from crowd.winogavil.play.models import DailyFeedback
from crowd.winogavil.play.services import letters
from hits.people.models import Message, Recipient
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from scoring.models import Score
from scoring.services.score_recording import NewScore, record_scores
from tests.crowd.winogavil.play.table import make_game, make_player, play
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)

pytestmark = pytest.mark.django_db
TODAY = NOW.date()
MORNING = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


@pytest.fixture
def study() -> Study:
    return make_study(time_zone="UTC")


def switch(study: Study, *, on: bool = True, hour: int = 8, now: datetime = NOW) -> DailyFeedback:
    return letters.switch_feedback(study=study, on=on, hour=hour, by=make_user(), now=now)


def make_work(study: Study, *, task: str = SOLVE, at: datetime = NOW) -> Assignment:
    """Make work of a new worker in an account of its own."""
    batch = make_batch(study=study, task=task, status="open", account=make_account())
    return make_assignment(hit=make_hit(batch=batch), status="approved", submitted_at=at, judged_at=at)


def score(work: Assignment, measure: str, value: Fraction, *, at: datetime = NOW) -> Score:
    item = make_association(study=work.hit.batch.study).item
    new = NewScore(assignment_id=work.pk, item_id=item.pk, measure=measure, value=value)
    record_scores([new], now=at)
    return Score.objects.get(assignment=work, item=item, measure=measure)


def test_nobody_is_written_to_before_a_study_switches_it_on(study: Study) -> None:
    make_work(study)

    assert letters.send_feedback(now=MORNING) == 0
    assert Message.objects.count() == 0


def test_letter_tells_scores_bonuses_and_what_is_open(study: Study) -> None:
    setting = switch(study)
    work = make_work(study, task=CREATE)
    score(work, FOOL, Fraction(67, 100))
    score(work, FOOL, Fraction(100, 100))
    score(work, SOLVABLE, Fraction(8, 9))
    make_bonus(assignment=work, amount=Decimal("0.27"), status="owed")
    own = make_association(study=study)
    own.item.author = work.worker
    own.item.save()

    written = letters.send_feedback(now=MORNING)

    message = Message.objects.get()
    assert written == 1
    assert (message.study, message.account, message.by) == (study, work.account, setting.by)
    assert [recipient.worker for recipient in message.recipients.all()] == [work.worker]
    assert "21 Nov 2026" in message.subject
    assert message.text.splitlines() == [
        "You invented words for 1 set of pictures.",
        "2 words of yours became final. They fooled the model by 83.50 % on average.",
        "People solved them by 88.88 %.",
        "Bonuses of the day: $0.27.",
        "Still open: 1 word of yours waits for people to solve it.",
        "Every bonus is shown with its reason on “Your work and your pay”, at the end of our pages.",
    ]


def test_solvers_read_their_own_accuracy(study: Study) -> None:
    switch(study)
    work = make_work(study)
    score(work, JACCARD, Fraction(1, 2))

    letters.send_feedback(now=MORNING)

    assert "You solved 1 word, and found 50 % of what its author meant." in Message.objects.get().text


@pytest.mark.parametrize(
    ("moment", "letters_written"),
    [
        (datetime(2026, 11, 22, 7, 59, tzinfo=UTC), 0),
        (datetime(2026, 11, 22, 8, 0, tzinfo=UTC), 1),
        (datetime(2026, 11, 22, 23, 59, tzinfo=UTC), 1),
        # Work of the day before yesterday is not reported any more.
        (datetime(2026, 11, 23, 8, 0, tzinfo=UTC), 0),
    ],
    ids=["too early", "in time", "late", "too late"],
)
def test_letter_is_written_from_its_hour_on(study: Study, moment: datetime, letters_written: int) -> None:
    switch(study)
    make_work(study)

    assert letters.send_feedback(now=moment) == letters_written


def test_each_worker_gets_one_letter_about_a_day_whatever_is_repeated(study: Study) -> None:
    setting = switch(study)
    make_work(study)

    letters.send_feedback(now=MORNING)
    letters.send_feedback(now=MORNING)
    # A process died after sending the letters and before it recorded them.
    DailyFeedback.objects.update(told_day=TODAY - timedelta(days=1))
    again = letters.send_feedback(now=MORNING)
    by_another = letters.switch_feedback(study=study, on=True, hour=8, by=make_user(), now=NOW)
    told = letters.tell_day(setting=by_another, day=TODAY, now=MORNING)

    assert (again, told, setting.study) == (0, 0, study)
    assert (Message.objects.count(), Recipient.objects.count()) == (1, 1)


def test_switching_on_tells_nothing_of_the_days_before(study: Study) -> None:
    make_work(study, at=NOW - timedelta(days=1))

    switch(study, now=NOW)

    assert letters.send_feedback(now=NOW) == 0


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("America/Sao_Paulo", date(2026, 6, 1), 24),
        ("Asia/Kolkata", date(2026, 6, 1), 24),
    ],
)
def test_day_is_one_of_the_studys_zone_also_when_the_clocks_change(zone: str, day: date, hours: int) -> None:
    study = make_study(time_zone=zone)

    start, end = letters._span(study, day)
    before, _ = letters._span(study, day + timedelta(days=1))

    assert end - start == timedelta(hours=hours)
    assert before == end


def test_work_just_before_midnight_belongs_to_the_day_there() -> None:
    study = make_study(time_zone="America/New_York")
    late = datetime(2026, 11, 22, 4, 59, tzinfo=UTC)  # 23:59 of the 21st there
    early = late + timedelta(minutes=1)
    for at in (late, early):
        make_work(study, at=at)

    days = {day: letters.days_of(study, day) for day in (TODAY, TODAY + timedelta(days=1))}

    assert [len(found) for found in days.values()] == [1, 1]


def test_worker_for_whom_nothing_happened_gets_no_letter(study: Study) -> None:
    switch(study)
    make_work(study, at=NOW - timedelta(days=3))
    make_worker()

    assert letters.send_feedback(now=MORNING) == 0


def test_players_read_it_on_their_page_and_get_no_letter() -> None:
    game = make_game()
    switch(game.study)
    play(make_player(game))

    assert letters.send_feedback(now=MORNING) == 0
    assert Association.objects.count() == 0
    assert Message.objects.count() == 0


def test_day_of_many_workers_costs_the_same(study: Study, django_assert_num_queries: object) -> None:
    for _ in range(5):
        score(make_work(study), JACCARD, Fraction(1, 2))

    with django_assert_num_queries(6):  # type: ignore[operator]
        found = letters.days_of(study, TODAY)

    assert len(found) == 5
