"""Gates and studies that a person may see: those of their own studies, and a 404 for all others."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from hits.admin.selection import need
from hits.studies.models import Study
from hits.work.access import studies_of
from qualifications.models import Gate

VIEW, ADD, CHANGE = "qualifications.view_gate", "qualifications.add_gate", "qualifications.change_gate"
GRADE, ATTEMPTS = "qualifications.grade_attempt", "qualifications.view_attempt"
HOLDINGS = "qualifications.view_holding"
# Exporting data is a permission of its own, whatever data they are.
TAKE = "hits.export_batch"
BASE = "admin/qualifications/gate/base.html"


def gates_for(user: Any) -> QuerySet[Gate]:
    return Gate.objects.filter(study__in=studies_of(user)).select_related("study")


def find_gate(request: HttpRequest, pk: int | None, *permissions: str) -> Gate:
    need(request, *permissions)
    return get_object_or_404(gates_for(request.user), pk=pk)


def find_study(request: HttpRequest, pk: int | None, *permissions: str) -> Study:
    need(request, *permissions)
    return get_object_or_404(studies_of(request.user), pk=pk)


def render(request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    shared = {**admin.site.each_context(request), "opts": Gate._meta}
    return TemplateResponse(
        request, f"admin/qualifications/{name}.html", {**shared, **context}, status=status
    )


def shared_of(gate: Gate | None = None, *, trail: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Context of these pages' base template: the gate, and the trail of links to it."""
    return {"opts": Gate._meta, "gate": gate, "trail": trail}


def keep_history(request: HttpRequest, row: Model, words: str) -> None:
    """Record a change in the admin's own history, with the name of who made it."""
    admin.site.get_model_admin(type(row)).log_change(request, row, words)
