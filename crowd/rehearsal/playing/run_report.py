"""What one run came to, read from the rows of its database and from the provider beside them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, Sum

from crowd.rehearsal.playing.both_sides import are_alike, compare_sides
from crowd.rehearsal.playing.memory_provider import HeldHIT
from crowd.rehearsal.playing.stage import Stage
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.domain import effective_seconds
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease

Status = Assignment.Status
HOUR_S = 3600


def report_run(stage: Stage) -> dict[str, Any]:
    ended = stage.final_at or stage.now
    return {
        "is_final": stage.final_at is not None,
        "hours": round((ended - stage.began_at).total_seconds() / HOUR_S, 2),
        "cost_by_day": _cost_by_day(stage),
        "bonuses": _bonuses(),
        "workers": {
            "came": sum(one.has_come for one in stage.standings.values()),
            "worked": sum(one.works > 0 for one in stage.standings.values()),
        },
        "works": Assignment.objects.filter(submitted_at__isnull=False).count(),
        "figures": dict(stage.family.figures(stage.batch)),
        "refused": dict(stage.refused),
        "starving": dict(_starving(stage)),
        "reviewed": _reviewed(stage),
        "spam": _spam(stage),
        "wage": _wage(stage),
        "both_sides": _both_sides(stage),
    }


def _cost_by_day(stage: Stage) -> dict[str, float]:
    """Cost of each day of the study's time zone: rewards and fees when approved, bonuses when owed."""
    zone = ZoneInfo(stage.batch.study.time_zone)
    prices = {batch.pk: batch.prices for batch in stage.batches}
    days: defaultdict[str, float] = defaultdict(float)
    approved = Assignment.objects.filter(status=Status.APPROVED, approved_at__isnull=False)
    for at, of, size in approved.values_list("approved_at", "hit__batch", "hit__max_assignments"):
        if at is None:
            continue
        each = prices[of].reward + prices[of].fee(assignments_per_hit=size)
        days[at.astimezone(zone).date().isoformat()] += float(each)
    for at, of, amount in Bonus.objects.values_list("owed_at", "assignment__hit__batch", "amount"):
        cost = amount + prices[of].fees.on_bonus(amount)
        days[at.astimezone(zone).date().isoformat()] += float(cost)
    first = stage.began_at.astimezone(zone).date()
    return {str((date.fromisoformat(day) - first).days + 1): round(days[day], 2) for day in sorted(days)}


def _bonuses() -> dict[str, int]:
    """How often each rule paid each amount; a rule that pays by item is counted by item."""
    counts: Counter[tuple[str, Decimal]] = Counter()
    for rule, figures, amount in Bonus.objects.values_list("rule", "figures", "amount"):
        steps = [Decimal(step["amount"]) for step in figures.get("items", ())] or [amount]
        counts.update((rule, each) for each in steps if each)
    return {f"{rule}: {amount}": times for (rule, amount), times in sorted(counts.items())}


def _starving(stage: Stage) -> Counter[str]:
    """Items that are not final at the end, by what each of them lacks."""
    found: Counter[str] = Counter()
    hits = _hits_by_task(stage)
    for item in stage.family.unfinished(stage.batch):
        found[stage.family.lack_of(item) or _lack_of(item, stage, hits=hits[item.task])] += 1
    return found


def _hits_by_task(stage: Stage) -> defaultdict[str, list[HeldHIT]]:
    found: defaultdict[str, list[HeldHIT]] = defaultdict(list)
    sent = HIT.objects.exclude(external_id="").order_by("pk")
    for key, task in sent.values_list("external_id", "batch__task"):
        found[task].append(stage.provider.hits[key])
    return found


def _lack_of(item: Item, stage: Stage, *, hits: Sequence[HeldHIT]) -> str:
    seen = Lease.objects.filter(item=item).exclude(status=Lease.Status.RELEASED)
    asked = seen.values("worker").distinct().count()
    if not item.wanted:
        return "its last answers were not handed in yet"
    if asked + (item.author_id is not None) >= len(stage.people):
        return "everybody who came has answered it or wrote it"
    if not any(hit.free > 0 for hit in hits):
        return "no HIT has a free place left"
    if stage.now >= min(hit.expires_at for hit in hits):
        return "its HITs are over"
    return "nobody who may answer it came again"


def _reviewed(stage: Stage) -> int:
    """How many works a person would have to decide on."""
    submitted = Assignment.objects.filter(submitted_at__isnull=False)
    return submitted.filter(Q(hit__batch__review_by=Batch.Review.HAND) | Q(answer=None)).count()


def _spam(stage: Stage) -> int:
    """How many works of those who answer by chance were approved."""
    spammers = {person.name for person in stage.people if person.is_spammer}
    approved = (work for work in stage.provider.works() if work.status == "Approved")
    return sum(work.worker_external_id in spammers for work in approved)


def _wage(stage: Stage) -> dict[str, Any]:
    """What an hour of each worker came to, against the study's floor."""
    rows = Assignment.objects.filter(status=Status.APPROVED).annotate(more=Sum("bonuses__amount"))
    earned: defaultdict[int, float] = defaultdict(float)
    seconds: defaultdict[int, float] = defaultdict(float)
    told = rows.values_list("worker", "active_s", "worked_s", "hit__batch__reward", "more")
    for worker, active_s, worked_s, reward, more in told:
        earned[worker] += float(reward + (more or 0))
        seconds[worker] += effective_seconds(active_s=active_s, worked_s=worked_s) or 0
    hourly = sorted(HOUR_S * earned[one] / seconds[one] for one in earned if seconds[one])
    floor = stage.batch.study.wage_floor
    return {
        "median": round(hourly[len(hourly) // 2], 2) if hourly else None,
        "floor": None if floor is None else float(floor),
        "workers_below": sum(one < float(floor) for one in hourly) if floor is not None else None,
        "workers": len(hourly),
    }


def _both_sides(stage: Stage) -> dict[str, Any]:
    """Compare the provider's rows with ours, with what was done to them meanwhile."""
    sides = compare_sides(stage.provider)
    return {
        **sides,
        "nothing_lost": are_alike(sides),
        "calls_refused": stage.provider.refused,
        "answers_lost": stage.provider.unanswered,
        "events_lost": stage.events_lost,
        "processes_killed": stage.deaths.count,
    }
