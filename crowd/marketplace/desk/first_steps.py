"""The first steps on a new marketplace: which are done, which is next, and where each is taken."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Exists, OuterRef
from django.urls import reverse

from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import AuditEntry, Requester, Worker
from crowd.marketplace.services.trial_hits import PUT_UP

DISMISSED = "first steps dismissed"
# What `manage.py serve` calls the requester that it makes for the researchers' side.
SEEDED = "Your lab"
TRIAL = (
    "One short question for some cents, for one worker and one day, posted as your requester would post it."
)
BUSY = (
    "HITs are on offer here already, or work has come in, so a trial HIT is not needed. You can put one up."
)


@dataclass(frozen=True, kw_only=True)
class Step:
    title: str
    text: str
    is_done: bool
    label: str = ""
    url: str = ""
    is_next: bool = False


def find_first_steps(*, now: datetime) -> list[Step]:
    """The steps, with the first that is not done marked as next; none once work was approved anywhere."""
    if Worker.objects.filter(approved__gt=0).exists() or AuditEntry.objects.filter(what=DISMISSED).exists():
        return []
    requester = _own_requester()
    steps = [_requester_step(requester), _workers_step(), *_trial_steps(requester, now=now)]
    following = next(number for number, step in enumerate(steps) if not step.is_done)
    return [replace(step, is_next=number == following) for number, step in enumerate(steps)]


def _own_requester() -> Requester | None:
    """The newest requester that somebody has made here, or else that of the researchers' side if it posts."""
    is_open = Requester.objects.filter(closed_at=None).order_by("-pk")
    posts = Exists(HIT.objects.filter(requester=OuterRef("pk")))
    return (
        is_open.exclude(name__startswith=SEEDED).first()
        or is_open.filter(posts, name__startswith=SEEDED).first()
    )


def _requester_step(requester: Requester | None) -> Step:
    title = "Make a requester with a deposit"
    if requester is None:
        return Step(
            title=title,
            text="A requester is a lab or a program that posts HITs. You see its keys once, with lines that "
            "try them. Enter as deposit what it has paid you, or a few dollars to try things out.",
            is_done=False,
            label="Make a requester",
            url=reverse("desk:new_requester"),
        )
    if not (requester.available or requester.on_hold):
        return Step(
            title=title,
            text=f"{requester} has no money yet, so it cannot post HITs.",
            is_done=False,
            label="Make a deposit",
            url=reverse("desk:deposit", args=[requester.external_id]),
        )
    return Step(
        title=title,
        text=f"{requester} can post HITs.",
        is_done=True,
        label="See the requester",
        url=reverse("desk:requester", args=[requester.external_id]),
    )


def _workers_step() -> Step:
    title = "Invite workers"
    if invited := Worker.objects.count():
        return Step(
            title=title,
            text=f"Workers so far: {invited}.",
            is_done=True,
            label="See the workers",
            url=reverse("desk:workers"),
        )
    return Step(
        title=title,
        text="Invite yourself as well: your own link shows you what workers see, in this same browser.",
        is_done=False,
        label="Invite workers",
        url=reverse("desk:invite"),
    )


def _trial_steps(requester: Requester | None, *, now: datetime) -> list[Step]:
    is_on_offer = HIT.objects.filter(closed_at=None, expires_at__gt=now).exists()
    is_done = is_on_offer or Worker.objects.filter(submitted__gt=0).exists()
    entry = AuditEntry.objects.filter(what=PUT_UP).last()
    trial = reverse("desk:trial_hit", args=[entry.about, entry.note]) if entry else ""
    new = reverse("desk:new_trial_hit", args=[requester.external_id]) if requester else ""
    return [
        Step(
            title="Put up a trial HIT",
            text=TRIAL if entry or not is_done else BUSY,
            is_done=is_done,
            label=("Put up another" if is_done else "Put up a trial HIT") if new else "",
            url=new,
        ),
        Step(
            title="See the work come back, and approve it",
            text="Do it yourself on the worker site, by the link of the worker that you have invited. The "
            "answer stands here at the desk. Once approved, its reward is owed to the worker.",
            is_done=False,
            label="See the trial HIT" if trial else "",
            url=trial,
        ),
    ]
