"""Helpers shared by the pages of matches, differences and deposits."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from hits.payments.queries import match_rows as queries
from hits.payments.services import deposits, three_way_match
from hits.providers.models.accounts import Account

VIEW, RUN = "hits.view_match", three_way_match.RUN
VIEW_DEPOSIT, ADD_DEPOSIT = "hits.view_deposit", deposits.ADD
PAGE = 25


def find_account(request: HttpRequest, pk: int) -> Account:
    return get_object_or_404(queries.accounts_for(request.user), pk=pk)


def render(request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    shared = {
        **admin.site.each_context(request),
        "may_run": request.user.has_perm(RUN),
        "may_see_deposits": request.user.has_perm(VIEW_DEPOSIT),
    }
    return TemplateResponse(request, f"admin/hits/match/{name}", {**shared, **context})
