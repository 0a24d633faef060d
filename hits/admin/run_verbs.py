"""What is done to a run by a button: each a POST, asked once more where it matters, then one service call."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from hits.admin import run_steps
from hits.admin.parts import read_number
from hits.admin.run_steps import APPROVE, PREPARE, find_run, sum_in_words
from hits.admin.selecting import signed_in
from hits.domain.manifests import write_manifest
from hits.errors import RuleBroken
from hits.models import Bonus, Run
from hits.queries.run_rows import lines_of, rows_of
from hits.queries.runs import totals_of
from hits.services import run_rows, runs

Kind = Run.Kind
HOLD = "hits.hold_bonus"
PAGE = "admin:hits_run_change"
MOST = 5000


def urls(model: admin.ModelAdmin[Run]) -> list[URLPattern]:
    shown = model.admin_site.admin_view
    return [
        *run_steps.urls(model),
        path("<int:pk>/rows/", shown(require_POST(rows_view)), name="hits_run_rows"),
        path("<int:pk>/approve/", shown(require_POST(approve_view)), name="hits_run_approve"),
        path("<int:pk>/manifest/", shown(require_GET(manifest_view)), name="hits_run_manifest"),
    ]


def rows_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Hold, take out or split the chosen rows; holding and splitting ask for words first."""
    name = request.POST.get("verb", "")
    run = find_run(request, pk, HOLD if name == "hold" else PREPARE)
    chosen = _chosen(request, run)
    by = signed_in(request)
    if not chosen:
        messages.error(request, "Tick the rows first.")
        return redirect(PAGE, run.pk)
    if name == "take_out":
        done = f"Taken out: {_count(chosen)}."
        return _do(request, run, lambda now: run_rows.take_out(run=run, bonuses=chosen, by=by, now=now), done)
    if name not in ("hold", "split"):
        raise Http404
    text = request.POST.get("text", "")
    if "confirmed" not in request.POST:
        return _ask_rows(request, run, chosen, name=name)
    if name == "hold":
        done = f"Held: {_count(chosen)}. They are owed still, and in no run until they are released."
        return _do(
            request,
            run,
            lambda now: run_rows.hold_bonuses(bonuses=chosen, reason=text, by=by, now=now),
            done,
        )
    return _split(request, run, chosen, title=text)


def approve_view(request: HttpRequest, pk: int) -> HttpResponse:
    """What was confirmed is the count and the total that this person has seen, and the digest with them."""
    run = find_run(request, pk, APPROVE)
    said = request.POST.get("confirmed", "").strip().removeprefix("$").replace(",", "")
    is_meant = said == (f"{run.total:.2f}" if _is_real_money(run) else sum_in_words(run).replace(",", ""))
    if not is_meant:
        messages.error(request, "Nothing was approved: confirm the count and the total of the run first.")
        return redirect(PAGE, run.pk)
    digest = request.POST.get("digest", "")
    try:
        done = runs.approve_run(run=run, digest=digest, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return redirect(PAGE, run.pk)
    if done:
        messages.success(request, f"Approved: {sum_in_words(run)}. {_what_now(run)}")
    else:
        messages.error(request, "Nothing was approved: the run changed after the freeze, and is void.")
    return redirect(PAGE, run.pk)


def manifest_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Byte for byte what the digest is of."""
    run = find_run(request, pk, "hits.view_run")
    if not run.digest:
        raise Http404
    answer = HttpResponse(write_manifest(lines_of(run)), content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="run-{run.public_id}.txt"'
    return answer


def _split(request: HttpRequest, run: Run, chosen: Sequence[Bonus], *, title: str) -> HttpResponse:
    try:
        new = run_rows.split_run(
            run=run, bonuses=chosen, title=title, by=signed_in(request), now=timezone.now()
        )
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return redirect(PAGE, run.pk)
    messages.success(request, f"Split off: {sum_in_words(new)}. Both runs are drafts now.")
    return redirect(PAGE, new.pk)


def _do(request: HttpRequest, run: Run, act: Callable[[datetime], Any], done: str) -> HttpResponse:
    try:
        act(timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, done)
    return redirect(PAGE, run.pk)


def _ask_rows(request: HttpRequest, run: Run, chosen: Sequence[Bonus], *, name: str) -> HttpResponse:
    about = {
        "rows_verb": name,
        "carried": ",".join(str(bonus.pk) for bonus in chosen),
        "button": f"{'Hold' if name == 'hold' else 'Split off'} {_count(chosen)}",
        "chosen_total": sum(bonus.amount for bonus in chosen),
        "voids": name == "hold" and run.status == Run.Status.FROZEN,
        "thaws": name == "split" and run.status == Run.Status.FROZEN,
    }
    return _ask(request, run, about)


def _ask(request: HttpRequest, run: Run, about: dict[str, Any]) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": f"{about['button']}?", "run": run, **about}
    return TemplateResponse(request, "admin/hits/run/ask.html", context)


def _chosen(request: HttpRequest, run: Run) -> list[Bonus]:
    """The ticked rows, or all of them; never any of another run."""
    carried = request.POST.get("bonuses", "").split(",")
    keys = [read_number(text) for text in [*request.POST.getlist("bonus"), *carried][:MOST]]
    wanted = [key for key in keys if key is not None]
    return list(Bonus.objects.filter(rows__run=run, rows__is_live=True, pk__in=wanted).order_by("pk"))


def _is_real_money(run: Run) -> bool:
    return totals_of(rows_of(run)).is_real_money


def _what_now(run: Run) -> str:
    return "They are given up." if run.kind == Kind.WAIVE else "They are sent in a moment."


def _count(chosen: Sequence[Bonus]) -> str:
    return f"{len(chosen)} {'bonus' if len(chosen) == 1 else 'bonuses'}"
