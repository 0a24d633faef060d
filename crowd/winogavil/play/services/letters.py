"""A letter to each paid worker about a day: what they did, what became final, and what is still open.

Letters are off until a study switches them on. Days are those of the study's time zone. Idempotent: a worker
gets one letter about a day, since its id follows from study, worker and day.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import structlog
from django.db.models import Count, Q, QuerySet
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crowd.winogavil import domain
from crowd.winogavil.models import Association
from crowd.winogavil.play.models import DailyFeedback
from hits.common.currencies import in_money
from hits.common.percentages import percentage
from hits.core.audit_trail import note
from hits.core.domain.days import day_around
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.people.models import Message
from hits.people.services.worker_letters import write_message
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from scoring.domain import mean
from scoring.models import Score

TASKS = (domain.CREATE, domain.SOLVE)
log = structlog.get_logger()


@dataclass(kw_only=True)
class Day:
    """One worker's day in a study."""

    handed_in: Counter[str] = field(default_factory=Counter)
    scores: defaultdict[str, list[Fraction]] = field(default_factory=lambda: defaultdict(list))
    bonuses: Decimal = Decimal(0)
    # Counted when the letter is written.
    open_cues: int = 0
    waiting: int = 0


def switch_feedback(*, study: Study, on: bool, hour: int, by: User, now: datetime) -> DailyFeedback:
    """Switch daily feedback on or off; when switched on, it begins with the day that is not over yet."""
    today = now.astimezone(ZoneInfo(study.time_zone)).date()
    values = {"is_on": on, "hour": hour, "by": by}
    row, is_new = DailyFeedback.objects.get_or_create(
        study=study, defaults={**values, "told_day": today - timedelta(days=1)}
    )
    if not is_new:
        was_on = row.is_on
        row.is_on, row.hour, row.by = on, hour, by
        if on and not was_on:
            row.told_day = today - timedelta(days=1)
        row.save()
    words = f"Switched daily feedback {'on' if on else 'off'}."
    note("feedback.switched", words, by=by, now=now, study=study)
    return row


def send_feedback(*, now: datetime) -> int:
    """Write yesterday's letters of every study whose hour has come; days before yesterday are skipped."""
    written = 0
    for setting in _switched_on().select_related("study", "by").order_by("pk"):
        there = now.astimezone(ZoneInfo(setting.study.time_zone))
        yesterday = there.date() - timedelta(days=1)
        if there.hour >= setting.hour and (setting.told_day is None or setting.told_day < yesterday):
            written += tell_day(setting=setting, day=yesterday, now=now)
            DailyFeedback.objects.filter(pk=setting.pk).update(told_day=yesterday)
    return written


def next_feedback(*, now: datetime) -> datetime | None:
    """Instant when the next study's letters are due."""
    settings = _switched_on().select_related("study")
    return min((_next_hour(setting, now=now) for setting in settings), default=None)


def _switched_on() -> QuerySet[DailyFeedback]:
    return DailyFeedback.objects.filter(is_on=True)


def _next_hour(setting: DailyFeedback, *, now: datetime) -> datetime:
    """Hour of the first day about whose day before no letters are written; it may have passed already."""
    zone = ZoneInfo(setting.study.time_zone)
    day = now.astimezone(zone).date()
    if setting.told_day is not None:
        day = max(day, setting.told_day + timedelta(days=2))
    return datetime.combine(day, time(setting.hour), tzinfo=zone).astimezone(UTC)


def tell_day(*, setting: DailyFeedback, day: date, now: datetime) -> int:
    """Write letters to workers for whom something happened that day and who have none about it yet."""
    study = setting.study
    days = days_of(study, day)
    ids = {worker: _id_of(study, worker, day) for worker in days}
    known = set(Message.objects.filter(public_id__in=ids.values()).values_list("public_id", flat=True))
    written = 0
    with translation.override(study.language):
        for worker, found in days.items():
            if ids[worker] in known:
                continue
            write_message(
                account=worker.account,
                study=study,
                workers=[worker],
                subject=_("Your day with us: %(day)s") % {"day": date_format(day, "DATE_FORMAT")},
                text=words_of(found, currency=study.currency),
                by=setting.by,
                now=now,
                public_id=ids[worker],
            )
            written += 1
    log.info("feedback.written", study=str(study.public_id), letters=written)
    return written


def days_of(study: Study, day: date) -> dict[Worker, Day]:
    """Days of the workers for whom something happened; six queries, however many workers there are."""
    start, end = _span(study, day)
    work = Assignment.objects.filter(
        hit__batch__study=study, hit__batch__task__in=TASKS, account__in=Account.objects.connected()
    )
    days: defaultdict[int, Day] = defaultdict(Day)
    handed_in = work.filter(submitted_at__gte=start, submitted_at__lt=end).values_list(
        "worker", "hit__batch__task"
    )
    for worker, task, count in handed_in.annotate(n=Count("pk")).order_by():
        days[worker].handed_in[task] += count
    scores = Score.objects.filter(assignment__in=work.values("pk"), scored_at__gte=start, scored_at__lt=end)
    for worker, measure, numerator, denominator in scores.values_list(
        "assignment__worker", "measure", "numerator", "denominator"
    ):
        days[worker].scores[measure].append(Fraction(numerator, denominator))
    bonuses = Bonus.objects.filter(assignment__in=work.values("pk"), owed_at__gte=start, owed_at__lt=end)
    for worker, amount in bonuses.exclude(status=Bonus.Status.WAIVED).values_list(
        "assignment__worker", "amount"
    ):
        days[worker].bonuses += amount
    _add_what_is_open(days, study=study, work=Q(pk__in=work.values("pk")))
    workers = Worker.objects.filter(pk__in=days).select_related("account").order_by("pk")
    return {worker: days[worker.pk] for worker in workers}


def words_of(found: Day, *, currency: str) -> str:
    """Text of a letter, with only the lines that say something."""
    return "\n".join(
        [*_lines_of_work(found), *_lines_of_scores(found.scores), *_lines_of_rest(found, currency=currency)]
    )


def _lines_of_work(found: Day) -> Iterable[str]:
    if count := found.handed_in[domain.CREATE]:
        yield (
            ngettext(
                "You invented words for %d set of pictures.",
                "You invented words for %d sets of pictures.",
                count,
            )
            % count
        )
    if count := found.handed_in[domain.SOLVE]:
        yield (
            ngettext(
                "You submitted %d task of picking pictures.",
                "You submitted %d tasks of picking pictures.",
                count,
            )
            % count
        )


def _lines_of_scores(scores: Mapping[str, list[Fraction]]) -> Iterable[str]:
    if values := scores.get(domain.FOOL):
        words = ngettext(
            "%(n)d word of yours became final. It fooled the model by %(mean)s.",
            "%(n)d words of yours became final. They fooled the model by %(mean)s on average.",
            len(values),
        )
        yield words % {"n": len(values), "mean": percentage(mean(values))}
    if values := scores.get(domain.SOLVABLE):
        yield _("People solved them by %(mean)s.") % {"mean": percentage(mean(values))}
    if values := scores.get(domain.JACCARD):
        words = ngettext(
            "You solved %(n)d word, and found %(mean)s of what its author meant.",
            "You solved %(n)d words, and found %(mean)s of what their authors meant.",
            len(values),
        )
        yield words % {"n": len(values), "mean": percentage(mean(values))}


def _lines_of_rest(found: Day, *, currency: str) -> Iterable[str]:
    if found.bonuses:
        yield _("Bonuses of the day: %(sum)s.") % {"sum": in_money(found.bonuses, currency)}
    if found.open_cues:
        yield (
            ngettext(
                "Still open: %d word of yours waits for people to solve it.",
                "Still open: %d words of yours wait for people to solve them.",
                found.open_cues,
            )
            % found.open_cues
        )
    if found.waiting:
        yield (
            ngettext(
                "Still open: %d piece of work waits for approval.",
                "Still open: %d pieces of work wait for approval.",
                found.waiting,
            )
            % found.waiting
        )
    yield _("Every bonus is shown with its reason on “Your work and your pay”, at the end of our pages.")


def _add_what_is_open(days: Mapping[int, Day], *, study: Study, work: Q) -> None:
    cues = Association.objects.filter(item__study=study, item__author__in=list(days), item__pulled_at=None)
    for worker, count in (
        cues.filter(final_at=None).values_list("item__author").annotate(n=Count("pk")).order_by()
    ):
        days[worker or 0].open_cues = count
    waiting = Assignment.objects.filter(
        work, worker__in=list(days), status=Assignment.Status.SUBMITTED
    ).values_list("worker")
    for worker, count in waiting.annotate(n=Count("pk")).order_by():
        days[worker].waiting = count


def _span(study: Study, day: date) -> tuple[datetime, datetime]:
    """First instant of the day in the study's time zone, and of the next day: 23, 24 or 25 hours apart."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=ZoneInfo(study.time_zone))
    return day_around(noon, zone=study.time_zone)


def _id_of(study: Study, worker: Worker, day: date) -> UUID:
    return uuid5(study.public_id, f"feedback {worker.public_id} {day.isoformat()}")
