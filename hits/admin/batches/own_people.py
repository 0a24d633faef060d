"""A draft's requirements on country and record, taken out for people of one's own, who have neither."""

from functools import partial

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone

from hits.admin.batches.guide import get_draft
from hits.admin.selection import signed_in
from hits.batches.services import drafting
from hits.core.errors import RuleBroken
from hits.studies.models import Batch

Batches = admin.ModelAdmin[Batch]


def urls(batches: Batches) -> list[URLPattern]:
    view = batches.admin_site.admin_view(partial(own_people_view, batches))
    return [path("<int:batch_id>/own-people/", view, name="hits_batch_own_people")]


def own_people_view(batches: Batches, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Ask for none of these in this draft and, where it is ticked, in new drafts of its study."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    batch, lasts = get_draft(batches, request, batch_id), "lasts" in request.POST
    if lasts and not request.user.has_perm("hits.change_study"):
        raise PermissionDenied
    try:
        with transaction.atomic():
            left_out = drafting.leave_out_strangers_terms(batch=batch, seen=request.POST.get("seen", ""))
            if lasts:
                drafting.work_with_own_people(study=batch.study, by=signed_in(request), now=timezone.now())
    except RuleBroken as error:
        messages.error(request, str(error))
        return redirect("admin:hits_batch_launch", batch.pk)
    batches.log_change(request, batch, f"Asks no longer for: {'; '.join(left_out)}.")
    further = " Nor do new drafts of this study: its settings say so." if lasts else ""
    messages.success(request, f"This draft asks for no country and no record of approved work.{further}")
    return redirect("admin:hits_batch_launch", batch.pk)
