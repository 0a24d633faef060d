"""What a click does to an example: asked once more where people have worked for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from crowd.winoground.admin.example_finding import Hub, find_example
from crowd.winoground.models import Example
from crowd.winoground.queries.examples import may_change
from crowd.winoground.services import authoring
from crowd.winoground.services.readiness import Faults
from hits.admin.selecting import signed_in
from hits.errors import RuleBroken

State = Example.State
ASKED_BEFORE = (
    "Workers have been asked about it. Nobody new is asked from then on; what was answered is kept, and "
    "comes back with it if you restore it, mark it as ready and ask about it again."
)


@dataclass(frozen=True, kw_only=True)
class Verb:
    """`do` says what the example lacks, if anything. `asks`: a page of its own asks once more."""

    name: str
    done: str
    about: str
    states: frozenset[str]
    do: Callable[[Example, datetime], Faults]
    asks: bool = False


@dataclass(frozen=True, kw_only=True)
class Offered:
    verb: Verb
    url: str


def verbs_for(hub: Hub, example: Example) -> Sequence[Offered]:
    """Those that its state allows. The caller has looked whether this person may change it."""
    return [
        Offered(verb=verb, url=hub.address(example.project, "example_verb", example.public_id, key))
        for key, verb in VERBS.items()
        if example.state in verb.states
    ]


def verb_view(hub: Hub, request: HttpRequest, pk: int, example: UUID, verb: str) -> HttpResponse:
    found, chosen = find_example(hub, request, pk, example), VERBS.get(verb)
    if chosen is None:
        raise Http404
    if not may_change(signed_in(request), found):
        raise PermissionDenied
    address = hub.address(found.project, "show_example", found.public_id)
    if request.method == "POST":
        return redirect(f"{address}?lacks" if _do(hub, request, found, chosen) else address)
    was_asked = found.state == State.ASKED
    context = {
        "title": f"{chosen.name}: {found}",
        "example": found,
        "verb": chosen,
        "about": f"{chosen.about} {ASKED_BEFORE}" if was_asked else chosen.about,
        "address": address,
    }
    return hub.render(request, "admin/winoground/do.html", context, project=found.project)


def _do(hub: Hub, request: HttpRequest, example: Example, verb: Verb) -> Faults:
    try:
        faults = verb.do(example, timezone.now())
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
        return {}
    if faults:
        messages.warning(request, f"{example} stays a draft. Before it is ready, mend what is said below.")
    else:
        hub.log_change(request, example, verb.done)
        messages.success(request, f"{example}: {verb.done}")
    return faults


def _move(move: Callable[..., bool], example: Example, now: datetime) -> Faults:
    move(example=example, now=now)
    return {}


VERBS: Mapping[str, Verb] = {
    "ready": Verb(
        name="Mark as ready",
        done="marked as ready.",
        about="Everything it must have is looked at once more. Then workers can be asked about it.",
        states=frozenset({State.DRAFT}),
        do=lambda example, now: authoring.mark_ready(example=example, now=now),
    ),
    "draft": Verb(
        name="Back to a draft",
        done="taken back to a draft.",
        about="Workers are not asked about it before it is ready again.",
        states=frozenset({State.READY}),
        do=partial(_move, authoring.reopen_example),
    ),
    "withdraw": Verb(
        name="Withdraw",
        done="withdrawn.",
        about="It leaves the lists of what can be asked. Nothing of it is deleted, and you can restore it.",
        states=frozenset({State.DRAFT, State.READY, State.ASKED}),
        do=partial(_move, authoring.withdraw_example),
        asks=True,
    ),
    "restore": Verb(
        name="Restore",
        done="restored as a draft.",
        about="It is a draft again, with everything that it had.",
        states=frozenset({State.WITHDRAWN}),
        do=partial(_move, authoring.restore_example),
    ),
}
