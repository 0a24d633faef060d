"""The attention items of a study: which there are, what is known of them, and how people do on them."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from hits import families
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.core.domain.typed_text import read_uuid
from hits.datasets.stat_table import percent
from hits.families import TaskType
from hits.studies.models import Batch, Study
from hits.work.access import studies_of
from scoring.admin.attention_actions import (
    CHANGE,
    DO,
    ITEMS,
    PAGE,
    STATE,
    TASKS,
    VIEW,
    AttentionTask,
    find_task,
)
from scoring.models import StudyRival

FIRST = "scoring_attention_first"

announce(
    StudyPage(
        name="Attention items",
        tab=Tab.REVIEW,
        permission=VIEW,
        address=lambda study: reverse(f"admin:{FIRST}", args=[study.pk]),
        about="Items with known answers, which workers meet among the others: what they miss is evidence.",
    )
)


def urls(rivals: admin.ModelAdmin[StudyRival]) -> list[URLPattern]:
    shown = rivals.admin_site.admin_view
    at = "<int:study_id>/attention/"
    return [
        path(at, shown(first_view), name=FIRST),
        path(f"{at}<str:task>/", shown(attention_view), name=PAGE),
        path(f"{at}<str:task>/do/<slug:key>/", shown(do_view), name=DO),
        path(f"{at}<str:task>/items/<uuid:item>/", shown(ITEMS.view("state")), name=STATE),
    ]


def first_view(request: HttpRequest, study_id: int) -> HttpResponse:
    """Lead to the study's first task that may have attention items, or say that there is none."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    study = get_object_or_404(studies_of(request.user), pk=study_id)
    if tasks := _tasks(study):
        return redirect(f"admin:{PAGE}", study.pk, tasks[0].key)
    return _render(request, study, {})


def attention_view(request: HttpRequest, study_id: int, task: str) -> HttpResponse:
    place = find_task(request, study_id, task)
    if sought := request.GET.get("item", "").strip():
        return _to_item(request, place, sought)
    # numpy is slow to load, and most processes never show this page.
    from scoring.queries.attention_candidates import attention_items_of  # noqa: PLC0415

    may_change = request.user.has_perm(CHANGE)
    found = attention_items_of(place.study, place.task)
    context = {
        "task": place.task,
        "tasks": _tasks(place.study),
        "page": place.page,
        "may_change": may_change,
        "take": TASKS.offer(place, "take"),
        "forget": TASKS.offer(place, "forget"),
        "rows": [
            {
                "one": one,
                "known": [(_asked(choice), choice.label) for choice in one.choices],
                "share": percent(one.answers.right / one.answers.met if one.answers.met else None, 0),
                "work": reverse("admin:hits_assignment_work", args=[one.work_id]) if one.work_id else "",
                "state": reverse(f"admin:{STATE}", args=[place.study.pk, place.task.key, one.item.public_id]),
            }
            for one in found
        ],
        "mixing": _mixing(place),
    }
    return _render(request, place.study, context)


def do_view(request: HttpRequest, study_id: int, task: str, key: str) -> HttpResponse:
    return TASKS.answer(request, key, study_id=study_id, task=task)


def _to_item(request: HttpRequest, place: AttentionTask, sought: str) -> HttpResponse:
    """Lead to the page that states the answer to the item of this id."""
    public_id = read_uuid(sought)
    own = place.study.items.filter(task=place.task.key)
    found = own.filter(public_id=public_id).first() if public_id else None
    if found and request.user.has_perm(CHANGE):
        return redirect(f"admin:{STATE}", place.study.pk, place.task.key, found.public_id)
    return _render(
        request,
        place.study,
        {"task": place.task, "tasks": _tasks(place.study), "page": place.page, "not_found": sought},
        status=404,
    )


def _asked(choice: Any) -> str:
    return " ".join(filter(None, (choice.question, choice.about)))


def _tasks(study: Study) -> Sequence[TaskType]:
    """Return the tasks of the study's batches whose pages can have attention items."""
    keys = Batch.objects.filter(study=study).order_by("task").values_list("task", flat=True).distinct()
    return [families.get(key) for key in keys if families.mixes_attention(key)]


def _mixing(place: AttentionTask) -> QuerySet[Batch]:
    """Return the batches that mix attention items into their pages, newest first."""
    own = Batch.objects.filter(study=place.study, task=place.task.key, attention_rate__gt=0)
    return own.order_by("-pk")


def _render(
    request: HttpRequest, study: Study, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    shared = {
        **admin.site.each_context(request),
        "opts": StudyRival._meta,
        "title": f"Attention items: {study}",
        "study": study,
        **context,
    }
    return TemplateResponse(request, "admin/scoring/attention.html", shared, status=status)
