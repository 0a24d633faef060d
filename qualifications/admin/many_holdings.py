"""Selected holdings revoked or given together, after a confirmation that says what it means for how many."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import ngettext

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.admin.selection import MOST, read_keys
from qualifications.admin.finding_gates import BASE, GRADE, HOLDINGS, gates_for, shared_of
from qualifications.admin.holding_changes import COLLEAGUES, GIVE, LONGEST, REVOKE
from qualifications.models import Holding
from qualifications.services.many_holdings import give_many, revoke_many


@dataclass(frozen=True, kw_only=True)
class Many:
    """One action on many holdings: its label, whom it concerns, what it means for them, and its service."""

    button: str
    held: bool
    meaning: Callable[[int], str]
    call: Callable[..., int]
    done: tuple[str, str]
    read_by: str = COLLEAGUES

    def concerned(self, rows: Sequence[Holding]) -> list[Holding]:
        return [row for row in rows if row.is_held is self.held]


VERBS = {
    REVOKE: Many(
        button="Take back",
        held=True,
        meaning=lambda _: (
            "can then start nothing more of what this opens. Work that has been begun "
            "may be submitted, and is paid. No retest opens by itself: only a person can give it again, "
            "one by one or here."
        ),
        call=revoke_many,
        done=("Taken back from %d worker.", "Taken back from %d workers."),
        read_by="The worker reads it.",
    ),
    GIVE: Many(
        button="Give",
        held=False,
        meaning=lambda _: "may then do what this opens, whatever the tests say. It can be taken back here.",
        call=give_many,
        done=("Given to %d worker.", "Given to %d workers."),
    ),
}


def ask_about(request: HttpRequest, rows: QuerySet[Holding], *, verb: str) -> HttpResponse:
    """Show how many workers are concerned, before anything is done."""
    at = reverse("admin:qualifications_hand_many", args=[verb])
    return PAGES.ask_list(request, verb, list(rows[: MOST + 1]), at=at)


def many_view(request: HttpRequest, verb: str) -> HttpResponse:
    return PAGES.answer(request, verb)


def _find(request: HttpRequest) -> list[Holding]:
    if request.method != "POST":
        raise Http404
    keys = read_keys(request.POST.get("holdings", ""))
    rows = Holding.objects.filter(gate__in=gates_for(request.user), pk__in=keys)
    return list(rows.select_related("gate__study", "worker").order_by("pk"))


def _are_too_many(call: Call[Holding]) -> str:
    return f"Choose at most {MOST} at once. Nothing was done." if len(call.rows) > MOST else ""


def _ask(call: Call[Holding], *, many: Many) -> Confirm:
    concerned = many.concerned(call.rows)
    count = len(concerned)
    who = format_html("<strong>{} worker{}</strong> {}", count, pluralize(count), many.meaning(count))
    return Confirm(
        title=f"{many.button}: {count} of {len(call.rows)} chosen",
        text=who if count else format_html("<strong>None of these workers is concerned.</strong>"),
        consequences=[*_by_gate(concerned), *_left_alone(len(call.rows) - count, many=many)],
        is_blocked=not count,
        button=f"{many.button}: {count}",
        hidden=[("holdings", ",".join(str(row.pk) for row in concerned))],
    )


def _left_alone(others: int, *, many: Many) -> list[str]:
    if not others:
        return []
    so = (
        f"{pluralize(others, 'does,do')} not hold it"
        if many.held
        else f"hold{pluralize(others, 's,')} it already"
    )
    nothing = f"nothing changes for {pluralize(others, 'this one,them')}"
    return [f"{others} of those that you chose {so}, and {nothing}."]


def _hand(call: Call[Holding], *, many: Many) -> Outcome:
    keys = [row.pk for row in call.rows]
    changed = many.call(keys=keys, by=call.by, reason=call.values["reason"], now=call.now)
    if changed:
        return Outcome(said=f"{ngettext(*many.done, changed) % changed} Providers are told in a moment.")
    return Outcome(said="Nothing was changed: it was so already.", level=messages.WARNING)


def _by_gate(rows: Iterable[Holding]) -> list[str]:
    counted = Counter(f"{row.gate.name}, {row.gate.study}" for row in rows)
    return [f"{name}: {number}" for name, number in sorted(counted.items())]


def _handing(many: Many) -> Action[Holding]:
    return Action(
        label=many.button,
        permissions=(HOLDINGS, GRADE),
        refuses=_are_too_many,
        form=words_form("reason", "Reason", longest=LONGEST, lines=3, help_text=many.read_by),
        confirm=partial(_ask, many=many),
        run=partial(_hand, many=many),
    )


ACTIONS: Mapping[str, Action[Holding]] = {verb: _handing(many) for verb, many in VERBS.items()}
PAGES = ActionPages(
    actions=ACTIONS,
    find=_find,
    back=lambda _: reverse("admin:qualifications_holding_changelist"),
    base=BASE,
    shared=lambda _: shared_of(
        trail=[("Qualifications held", reverse("admin:qualifications_holding_changelist"))]
    ),
)
