"""A selection of holdings, taken back or given: what that means and for how many, and then the deed."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext

from hits.admin.selecting import MOST, read_keys, signed_in
from hits.errors import RuleBroken
from qualifications.admin.finding import GRADE, HOLDINGS, gates_for, need, render
from qualifications.admin.giving import GIVE, REVOKE, ReasonForm
from qualifications.models import Holding
from qualifications.services.handing import give_many, revoke_many


@dataclass(frozen=True, kw_only=True)
class Many:
    """What a verb is called, whom it concerns, and what does it."""

    button: str
    held: bool
    call: Callable[..., int]
    done: tuple[str, str]


VERBS = {
    REVOKE: Many(
        button="Take back",
        held=True,
        call=revoke_many,
        done=("Taken back from %d worker.", "Taken back from %d workers."),
    ),
    GIVE: Many(
        button="Give",
        held=False,
        call=give_many,
        done=("Given to %d worker.", "Given to %d workers."),
    ),
}


def ask_about(
    request: HttpRequest, rows: QuerySet[Holding], *, verb: str, form: ReasonForm | None = None
) -> HttpResponse | None:
    """The page that says how many, before anything is done. None: too many were chosen."""
    chosen = list(rows[: MOST + 1])
    if len(chosen) > MOST:
        messages.error(request, f"Choose at most {MOST} at once. Nothing was done.")
        return None
    many = VERBS[verb]
    concerned = [row for row in chosen if row.is_held is many.held]
    context = {
        "title": f"{many.button}: {len(concerned)} of {len(chosen)} chosen",
        "verb": verb,
        "button": many.button,
        "count": len(concerned),
        "others": len(chosen) - len(concerned),
        "gates": _by_gate(concerned),
        "carried": ",".join(str(row.pk) for row in concerned),
        "form": form or ReasonForm(verb=verb),
    }
    return render(request, "holding/many", context, status=400 if form else 200)


def many_view(request: HttpRequest, verb: str) -> HttpResponse:
    need(request, HOLDINGS, GRADE)
    if verb not in VERBS or request.method != "POST":
        raise Http404
    keys = read_keys(request.POST.get("holdings", ""))
    rows = Holding.objects.filter(gate__in=gates_for(request.user), pk__in=keys)
    rows = rows.select_related("gate__study").order_by("pk")
    form = ReasonForm(request.POST, verb=verb)
    if not form.is_valid() or not _do(request, rows, verb=verb, reason=form.cleaned_data["reason"]):
        asked = ask_about(request, rows, verb=verb, form=form)
        return asked or redirect("admin:qualifications_holding_changelist")
    return redirect("admin:qualifications_holding_changelist")


def _do(request: HttpRequest, rows: QuerySet[Holding], *, verb: str, reason: str) -> bool:
    many, keys = VERBS[verb], list(rows.values_list("pk", flat=True))
    # A box of several lines is for reading; the reason is kept as one.
    words = " ".join(reason.split())
    try:
        changed = many.call(keys=keys, by=signed_in(request), reason=words, now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return False
    said = ngettext(*many.done, changed) % changed
    if changed:
        messages.success(request, f"{said} Providers are told in a moment.")
    else:
        messages.warning(request, "Nothing was changed: it was so already.")
    return True


def _by_gate(rows: Iterable[Holding]) -> list[tuple[str, int]]:
    return sorted(Counter(f"{row.gate.name}, {row.gate.study}" for row in rows).items())
