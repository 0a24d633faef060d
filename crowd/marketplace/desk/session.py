"""The desk's sessions, in a cookie of its own."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from crowd.marketplace import clock
from crowd.marketplace.desk.responses import show
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import operators

COOKIE = settings.MARKETPLACE_COOKIES.format("operator_session")
P = ParamSpec("P")


def operator_required(
    view: Callable[Concatenate[HttpRequest, Operator, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Pass the signed-in operator to the view; redirect others to the sign-in page. Nothing is cached."""

    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        token = request.COOKIES.get(COOKIE, "")
        operator = operators.find_session_operator(token=token, now=clock.now()) if token else None
        response = _answer(request, operator, view, *args, **kwargs) if operator else _to_the_door(request)
        response["Cache-Control"] = "no-store"
        return response

    return guarded


def open_session(request: HttpRequest, response: HttpResponse, token: str) -> None:
    """Open a session; an earlier one of this browser ends."""
    operators.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response.set_cookie(
        COOKIE,
        token,
        max_age=operators.SESSION_LIFE,
        httponly=True,
        secure=settings.MARKETPLACE_URL.startswith("https:"),
        samesite="Strict",
    )


def close_session(request: HttpRequest, response: HttpResponse) -> None:
    operators.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response.delete_cookie(COOKIE, samesite="Strict")


def _to_the_door(request: HttpRequest) -> HttpResponse:
    wanted = request.get_full_path() if request.method == "GET" else reverse("desk:overview")
    return redirect(f"{reverse('desk:sign_in')}?{urlencode({'next': wanted})}")


def _answer(
    request: HttpRequest,
    operator: Operator,
    view: Callable[Concatenate[HttpRequest, Operator, P], HttpResponseBase],
    *args: P.args,
    **kwargs: P.kwargs,
) -> HttpResponseBase:
    """Call the view, and show missing pages and refusals in the look of the desk."""
    try:
        return view(request, operator, *args, **kwargs)
    except Http404:
        return show(request, operator, "not_found", {}, status=404)
    except RuleBroken as refusal:
        return show(request, operator, "refused", {"reason": refusal}, status=409)
    except operators.AlreadyDone:
        reason = "This form was already carried out, and was not carried out a second time."
        return show(request, operator, "refused", {"reason": reason, "is_done": True}, status=409)
