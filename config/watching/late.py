"""What is late, why that may be, and what to do: findings from the gauges, for the status page and doctor.

The rules of config/deploy/alerts.yml ask the same of the same gauges, by the same limits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hits.common.health.background_checks import in_words
from hits.common.health.findings import Finding
from hits.common.watching.row_gauges import FAILED, OLDEST, WAITING, Readings

MINUTE = 60
SILENT_S = 5 * MINUTE
WORKERS = "Look whether its sweeps are run, and in the log of the background process."
HELD = "Look whether payments are halted or an account stands still: then it waits, and should. "
RIVAL = (
    "Look whether a process runs that takes the queue rival, whether its model can be loaded (manage.py "
    "doctor), and what Rivals of studies says of the question."
)


@dataclass(frozen=True, kw_only=True)
class Queue:
    words: str
    most_s: int
    advice: str = WORKERS


QUEUES = {
    "rival_urgent": Queue(words="questions to a rival for which a worker waits", most_s=MINUTE, advice=RIVAL),
    "rival_later": Queue(words="other questions to a rival", most_s=60 * MINUTE, advice=RIVAL),
    "model_questions": Queue(words="questions to models", most_s=60 * MINUTE, advice=RIVAL),
    "hits_to_send": Queue(words="HITs to be sent", most_s=30 * MINUTE, advice=HELD + WORKERS),
    "changes_of_hits": Queue(words="changes of HITs to be sent", most_s=30 * MINUTE, advice=HELD + WORKERS),
    "decisions": Queue(words="decisions on work to be sent", most_s=30 * MINUTE, advice=HELD + WORKERS),
    "notices": Queue(words="notices from providers to be read", most_s=10 * MINUTE),
    "alerts": Queue(words="messages to staff", most_s=30 * MINUTE, advice=HELD + WORKERS),
    "work_to_judge": Queue(words="submitted work to be judged", most_s=10 * MINUTE),
    "marketplace_events": Queue(
        words="events that the marketplace tells requesters",
        most_s=30 * MINUTE,
        advice="A requester's address may not answer: the marketplace tries again for three days. " + WORKERS,
    ),
    "marketplace_emails": Queue(
        words="e-mails to workers",
        most_s=30 * MINUTE,
        advice="Look whether the mail server of CROWD_EMAIL_URL answers. " + WORKERS,
    ),
}


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """How one queue stands, whether late or not."""

    words: str
    waiting: int
    oldest: str
    is_late: bool


def queues(readings: Readings) -> list[QueueState]:
    waiting, oldest = readings.of(WAITING.name), readings.of(OLDEST.name)
    return [
        QueueState(
            words=queue.words,
            waiting=round(waiting[name,]),
            oldest=in_words(oldest[name,]) if oldest[name,] else "",
            is_late=oldest[name,] > queue.most_s,
        )
        for name, queue in QUEUES.items()
        if (name,) in waiting
    ]


def find_late(readings: Readings) -> list[Finding]:
    """Return what is late or stands still; if nothing is, that it was looked at."""
    found = [
        *_late_queues(readings),
        *_unread(readings),
        *_standing_still(readings),
        *_unclear_payments(readings),
    ]
    on_time = Finding(name="queues and payments", ok=True, saw="nothing is late")
    return found or [on_time]


def _late_queues(readings: Readings) -> Iterator[Finding]:
    counts = readings.of(WAITING.name)
    for (name,), seconds in readings.of(OLDEST.name).items():
        queue = QUEUES[name]
        if seconds > queue.most_s:
            saw = f"{counts[name,]:.0f} wait, the first for {in_words(seconds)}"
            yield Finding(name=queue.words, ok=False, saw=saw, advice=queue.advice)


def _unread(readings: Readings) -> Iterator[Finding]:
    if failed := readings.of(FAILED.name):
        saw = f"not read: {', '.join(sorted(reader for (reader,) in failed))}"
        yield Finding(name="gauges", ok=False, saw=saw, advice="Look whether the database server runs.")


def _standing_still(readings: Readings) -> Iterator[Finding]:
    longest = _one(readings, "crowd_account_silent_seconds")
    if longest > SILENT_S:
        saw = f"{_one(readings, 'crowd_accounts_silent'):.0f} without an answer, for {in_words(longest)}"
        advice = "Look at Accounts what the provider says, and whether its address is right and reachable."
        yield Finding(name="accounts", ok=False, saw=saw, advice=advice)
    if still := _one(readings, "crowd_epochs_open"):
        advice = "Compare both sides on the page Put back from a copy, and let them go on there."
        saw = f"{still:.0f} accounts stand still since data was restored"
        yield Finding(name="restored data", ok=False, saw=saw, advice=advice)


def _unclear_payments(readings: Readings) -> Iterator[Finding]:
    count = readings.of("crowd_bonuses").get(("unknown",), 0)
    amounts = {
        name: readings.of(f"crowd_bonus_{name}").get(("unknown",), 0) for name in ("dollars", "pounds")
    }
    if count:
        advice = (
            "Nothing is paid twice: each is looked for on the provider's list by itself. If one stays for an "
            "hour, look at it under Bonuses, and settle it there by that list."
        )
        said = " and ".join(f"{amount:.2f} {name}" for name, amount in amounts.items() if amount)
        saw = f"{count:.0f} of unclear outcome, {said or '0.00 dollars'}"
        yield Finding(name="payments", ok=False, saw=saw, advice=advice)


def _one(readings: Readings, name: str) -> float:
    return readings.of(name).get((), 0.0)
