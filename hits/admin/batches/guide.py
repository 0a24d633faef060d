"""The guide: a draft in three steps and a launch page, each saved by itself, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from hits import families
from hits.admin.batches.filter_fields import SHOW
from hits.admin.batches.forms import FORMS, PRESET, PeopleForm, TermsForm, WhatForm
from hits.admin.batches.launch_facts import facts_of
from hits.admin.batches.prices import plans_of
from hits.admin.home.current_study import current_study
from hits.admin.page_parts import in_words
from hits.admin.selection import signed_in
from hits.batches.queries.offered_filters import filters_in_words
from hits.batches.services import drafting
from hits.core.domain.counted_nouns import plural
from hits.core.domain.requirements import in_words as requirements_in_words
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import InvalidItems, RuleBroken
from hits.families.paper_figures import paper_of
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work.access import studies_of, visible
from hits.work.queries.items import answers_wanted

Batches = admin.ModelAdmin[Batch]
StepForm = WhatForm | TermsForm | PeopleForm
WITH_NAMES = Batch.objects.select_related("study", "account", "source_batch__study")
SPANS = ("duration_s", "lifetime_s", "auto_approval_s", "estimated_s")


def spans_of(batch: Batch) -> dict[str, str]:
    """The batch's times in words; that of approval is the provider's where it has its own."""
    spans = {name: in_words(getattr(batch, name)) for name in SPANS}
    return {**spans, "auto_approval_s": in_words(batch.approves_after_s)}


@dataclass(frozen=True, kw_only=True)
class Step:
    key: str
    name: str
    url: str
    is_current: bool
    note: str = ""


NAMES = {"what": "What is asked", "terms": "Terms", "people": "People", "launch": "Check and launch"}
NEXT = {"what": "terms", "terms": "people", "people": "launch"}


def urls(batches: Batches) -> list[URLPattern]:
    def page(view: Any) -> Any:
        return batches.admin_site.admin_view(partial(view, batches))

    return [
        path("<int:batch_id>/step/<slug:step>/", page(step_view), name="hits_batch_step"),
        path("<int:batch_id>/items/", page(items_view), name="hits_batch_items"),
        path("<int:batch_id>/copy/", page(copy_view), name="hits_batch_copy"),
        path("example/<str:task>/", page(example_view), name="hits_batch_example"),
    ]


def start_view(batches: Batches, request: HttpRequest) -> HttpResponse:
    """Show the first step of a draft that does not exist yet. Sent twice, it makes one draft."""
    if not batches.has_add_permission(request):
        raise PermissionDenied
    form = WhatForm(request.POST or None, user=request.user, batch=None, initial=_first_choice(request))
    if request.method == "POST" and form.is_valid():
        try:
            draft = drafting.start_draft(
                **form.values(),
                by=request.user,  # type: ignore[arg-type]
                key=read_uuid(request.POST.get("key", "")),
            )
        except RuleBroken as error:
            form.add_error(None, str(error))
        else:
            batches.log_addition(request, draft, [{"added": {}}])
            return redirect(_after(draft, "what", request))
    context = {
        **batches.admin_site.each_context(request),
        "title": "New batch",
        "steps": [Step(key=key, name=name, url="", is_current=key == "what") for key, name in NAMES.items()],
        "step": "what",
        "form": form,
        "key": request.POST.get("key") or str(uuid4()),
        "next_name": NAMES["terms"],
    }
    return TemplateResponse(request, "admin/hits/guide/what.html", context)


def step_view(batches: Batches, request: HttpRequest, batch_id: int, step: str) -> HttpResponse:
    if step not in FORMS:
        raise Http404
    batch = get_draft(batches, request, batch_id)
    if batch.status != Batch.Status.DRAFT:
        return _leave(request, batch)
    form = make_form(request, batch, step)
    if request.method == "POST" and SHOW not in request.POST and form.is_valid():
        saved = _save(batches, request, batch, form)
        if saved is not None:
            return saved
    return show_step(batches, request, batch, form)


def items_view(batches: Batches, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Add a file's items to the draft, or remove all of its items again."""
    batch = get_draft(batches, request, batch_id)
    if request.method != "POST":
        return redirect("admin:hits_batch_step", batch.pk, "what")
    try:
        if "remove" in request.POST:
            removed = drafting.remove_items(batch=batch)
            messages.success(request, f"{_items(removed)} removed. The study's pool is as it was.")
        else:
            added = drafting.add_items(
                batch=batch, content=_read_upload(request), seen=_read_count(request.POST.get("there", ""))
            )
            batches.log_change(request, batch, f"Added {_items(added)} from a file.")
            messages.success(request, f"{_items(added)} added. You can remove them again below.")
    except InvalidItems as error:
        return show_step(batches, request, batch, _unbound(request, batch, "what"), problems=error.problems)
    except RuleBroken as error:
        messages.error(request, str(error))
    return redirect("admin:hits_batch_step", batch.pk, "what")


def copy_view(batches: Batches, request: HttpRequest, batch_id: int) -> HttpResponse:
    if not batches.has_add_permission(request):
        raise PermissionDenied
    batch = get_visible(request, batch_id)
    if request.method != "POST":
        return redirect("admin:hits_batch_change", batch.pk)
    try:
        draft = drafting.copy_batch(batch=batch, by=request.user)  # type: ignore[arg-type]
    except RuleBroken as error:
        messages.error(request, str(error))
        return redirect("admin:hits_batch_change", batch.pk)
    batches.log_addition(request, draft, f"Copied from batch {batch.pk}.")
    words = "A new draft with the same terms."
    if draft.items_from == Batch.ItemsFrom.FILE:
        words += " It has no items yet: those of the file stay with the batch that asked them."
    messages.success(request, words)
    return redirect("admin:hits_batch_step", draft.pk, "what")


def example_view(batches: Batches, request: HttpRequest, task: str) -> HttpResponse:
    if not (batches.has_add_permission(request) or batches.has_change_permission(request)):
        raise PermissionDenied
    taking = families.taking_files(task)
    if taking is None:
        raise Http404
    return HttpResponse(
        taking.example_file(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="items.csv"'},
    )


def get_visible(request: HttpRequest, batch_id: int) -> Batch:
    return get_object_or_404(visible(WITH_NAMES.all(), request.user), pk=batch_id)


def excluded_rows(request: HttpRequest) -> QuerySet[Batch]:
    """Batches, annotated with whether this user sees their study: of the others only the number is shown."""
    seen = Exists(studies_of(request.user).filter(pk=OuterRef("study")))
    return Batch.objects.select_related("study").annotate(is_seen=seen).order_by("pk")


def get_draft(batches: Batches, request: HttpRequest, batch_id: int) -> Batch:
    """The batch, for a user who may change it. The service checks under its lock that it is a draft."""
    batch = get_visible(request, batch_id)
    if not batches.has_change_permission(request, batch):
        raise PermissionDenied
    return batch


def make_form(request: HttpRequest, batch: Batch, step: str) -> StepForm:
    return (
        _form(request.POST, request, batch, step)
        if request.method == "POST"
        else _unbound(request, batch, step)
    )


def show_step(
    batches: Batches, request: HttpRequest, batch: Batch, form: StepForm, *, problems: Sequence[str] = ()
) -> HttpResponse:
    """Show a step. A refused form keeps the stamp it came with, so that a second window is still noticed."""
    fresh = get_visible(request, batch.pk) if form.is_bound or problems else batch
    items, wanted = count_items(fresh)
    context = {
        **batches.admin_site.each_context(request),
        "title": f"Draft: {fresh.title}",
        "batch": fresh,
        "step": form.step,
        "steps": steps_of(fresh, current=form.step, wanted=wanted),
        "form": form,
        "seen": request.POST.get("seen") if form.is_bound else None,
        "wanted": wanted,
        "next_name": NAMES[NEXT[form.step]],
        "can_delete": batches.has_delete_permission(request, fresh),
        "problems": problems,
    }
    if context["seen"] is None or getattr(form, "is_stale", False):
        context["seen"] = drafting.stamp(fresh, form.step)
    context |= _about(fresh, form, user=signed_in(request), items=items, wanted=wanted)
    return TemplateResponse(request, f"admin/hits/guide/{form.step}.html", context)


def steps_of(batch: Batch, *, current: str, wanted: int, may_change: bool = True) -> list[Step]:
    notes = {"what": f"{wanted} answers needed" if wanted else "no items yet"}
    return [
        Step(
            key=key,
            name=name,
            url=step_url(batch, key) if may_change else "",
            is_current=key == current,
            note=notes.get(key, ""),
        )
        for key, name in NAMES.items()
    ]


def step_url(batch: Batch, step: str) -> str:
    if step == "launch":
        return reverse("admin:hits_batch_launch", args=[batch.pk])
    return reverse("admin:hits_batch_step", args=[batch.pk, step])


def _save(batches: Batches, request: HttpRequest, batch: Batch, form: StepForm) -> HttpResponse | None:
    """Save the step. None if it was refused: the form says why, and shows what another person has saved."""
    try:
        saved = drafting.save_step(
            batch=batch, step=form.step, values=form.values(), seen=request.POST.get("seen", "")
        )
    except RuleBroken as error:
        form.add_error(None, str(error))
        if error.code == "stale":
            form.is_stale = True  # type: ignore[union-attr]
            form.saved_now = differences(batch, form)  # type: ignore[union-attr]
        return None
    batches.log_change(request, saved, f"Saved “{NAMES[form.step]}”.")
    return redirect(_after(saved, form.step, request))


def differences(batch: Batch, form: StepForm) -> list[tuple[str, str]]:
    """Saved values that are not what was typed, each with its label and in words."""
    saved = WITH_NAMES.get(pk=batch.pk)
    found = []
    for name, typed in form.values().items():
        now = _saved(saved, name)
        if now != typed:
            label = str(Batch._meta.get_field(name).verbose_name)  # type: ignore[union-attr]
            found.append((label.capitalize(), saved_in_words(saved, name)))
    return found


def saved_in_words(batch: Batch, name: str) -> str:
    value = _saved(batch, name)
    if name == "requirements":
        words = "; ".join(requirements_in_words(value))
    elif name == drafting.EXCLUSIONS:
        words = ", ".join(f"number {pk}" for pk in value)
    elif name in SPANS:
        words = in_words(value)
    elif isinstance(value, bool):
        words = "yes" if value else "no"
    elif display := getattr(batch, f"get_{name}_display", None):
        words = str(display())
    else:
        words = "" if value is None else str(value)
    return words or "nothing"


def _saved(batch: Batch, name: str) -> Any:
    if name == drafting.EXCLUSIONS:
        return sorted(other.pk for other in batch.exclude_batches.all())
    return getattr(batch, name)


def _form(data: Any, request: HttpRequest, batch: Batch, step: str) -> StepForm:
    if step == "terms":
        return TermsForm(data, instance=batch)
    if step == "people":
        return PeopleForm(data, user=request.user, batch=batch)
    initial = {name: batch.serializable_value(name) for name in drafting.STEPS["what"]}
    return WhatForm(data, user=request.user, batch=batch, initial=initial)


def _unbound(request: HttpRequest, batch: Batch, step: str) -> StepForm:
    return _form(None, request, batch, step)


def count_items(batch: Batch) -> tuple[int, int]:
    """The batch's own items, and the answers needed. The pool's items are many and are not counted."""
    if batch.items_from == Batch.ItemsFrom.POOL:
        return 0, answers_wanted(batch)
    return batch.items.count(), answers_wanted(batch)


def _about(batch: Batch, form: StepForm, *, user: User, items: int, wanted: int) -> dict[str, Any]:
    """Extra context that a step shows beside its form."""
    family = families.registered().get(batch.task)
    if form.step == "what":
        return {"family": family, "items": items, "takes_files": isinstance(family, families.TakesFiles)}
    if form.step == "terms":
        return {"room": room_in_words(batch, wanted=wanted), "plans": plans_of(batch)}
    preset = list(family.terms.requirements) if family else []
    english = family is not None and family.terms.english_speakers
    lacks = any(row not in batch.requirements for row in preset) or (english and not batch.english_speakers)
    return {
        "requirements": requirements_in_words(
            batch.requirements,
            english_speakers=batch.english_speakers,
            meanings=filters_in_words(batch.requirements, account=batch.account),
        ),
        "preset": requirements_in_words(preset, english_speakers=english) if lacks else [],
        "paper": paper_of(batch.task),
        "facts": facts_of(batch, user=user),
    }


def room_in_words(batch: Batch, *, wanted: int) -> str:
    """Whom the saved numbers have room for, and how many HITs the answers need."""
    if families.is_test(batch.task):
        workers = plural(batch.hits_wanted * batch.assignments_per_hit, "worker")
        lacking = "" if wanted else " It has no question yet."
        return (
            f"A test takes every worker who comes. With the numbers saved here it takes {workers}.{lacking}"
        )
    if not wanted:
        return "No item needs an answer yet. Once some do, the number of HITs that they need is shown here."
    hits = drafting.hits_for(batch, answers=wanted)
    parts = len(batch.sizes)
    posted = f", posted in {plural(parts * hits, 'part')} of at most {max(batch.sizes)} workers"
    return (
        f"Answers needed: {wanted}. With the numbers saved here, {plural(hits, 'HIT')} would have room for "
        f"all of them{posted if parts > 1 else ''}."
    )


def _after(batch: Batch, step: str, request: HttpRequest) -> str:
    """The next step's address, or this one's if items are still to be added or another button was pressed."""
    stays = bool({"stay", PRESET} & set(request.POST)) or (
        step == "what" and batch.items_from == Batch.ItemsFrom.FILE and not batch.items.exists()
    )
    if stays:
        messages.success(request, "Saved.")
    return step_url(batch, step if stays else NEXT[step])


def _leave(request: HttpRequest, batch: Batch) -> HttpResponse:
    messages.warning(request, "This batch is no draft any more: its terms cannot be changed.")
    return redirect("admin:hits_batch_change", batch.pk)


def _first_choice(request: HttpRequest) -> dict[str, Any]:
    study, task = current_study(request), request.GET.get("task", "")
    named = {"study": str(study.pk)} if study else {}
    return {**named, "task": task} if task in families.offered() else named


def _read_count(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _read_upload(request: HttpRequest) -> bytes:
    upload = request.FILES.get("file")
    if not isinstance(upload, UploadedFile):
        raise InvalidItems(["Choose a file first."])
    if (upload.size or 0) > drafting.MOST_BYTES:
        raise InvalidItems(
            [f"The file has more than {drafting.MOST_BYTES // 1_000_000} MB. Cut it into several."]
        )
    content: bytes = upload.read()
    return content


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
