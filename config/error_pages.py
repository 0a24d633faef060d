"""Answers of the researchers' host where something is wrong: a page with a reference, JSON for programs.

The reference is in every line that the log has about the request. No answer needs the database.
"""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext_noop
from structlog.contextvars import get_contextvars


@dataclass(frozen=True, kw_only=True)
class Problem:
    status: int
    title: str
    words: str
    # More, on pages of the admin.
    for_staff: str = ""
    # What a program is told.
    detail: str


BAD_REQUEST = Problem(
    status=400,
    title=gettext_noop("This cannot be read"),
    words=gettext_noop(
        "Something in the address or in the form is not as our pages send it. Nothing was done. "
        "Go back, load the page again, and send it once more."
    ),
    detail="The request cannot be read.",
)
FORBIDDEN = Problem(
    status=403,
    title=gettext_noop("You may not do this"),
    words=gettext_noop("Nothing was done."),
    for_staff="Your roles do not allow it. Whoever manages the users here can give you one that does.",
    detail="You may not do this.",
)
STALE_FORM = Problem(
    status=403,
    title=gettext_noop("Please send it again"),
    words=gettext_noop(
        "This form was open for too long, or your browser sent no cookie with it. Nothing was done. Go back, "
        "load the page again, and send it once more."
    ),
    detail="The request has no valid CSRF token.",
)
NOT_FOUND = Problem(
    status=404,
    title=gettext_noop("There is nothing at this address"),
    words=gettext_noop("It may be mistyped, or what stood here is gone."),
    for_staff="What belongs to studies of which you are not a member is not found either.",
    detail="There is no such address. /api/schema/ describes those that there are.",
)
SERVER_ERROR = Problem(
    status=500,
    title=gettext_noop("Something went wrong here"),
    words=gettext_noop(
        "The mistake is ours, and it is in the log. Look whether what you sent was done before you send it "
        "again. If this happens once more, tell whoever runs this installation, with the reference below."
    ),
    detail="Something went wrong here. Try again later, or tell your operator.",
)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, FORBIDDEN)


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a valid CSRF token, on every site."""
    return answer(request, STALE_FORM)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    return answer(request, SERVER_ERROR)


def answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Answer below /api/ in JSON, and elsewhere with the page.

    The page is rendered without the request, whose user would be read from the database.
    """
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": problem.detail}, status=problem.status)
    context = {
        "problem": problem,
        "reference": get_contextvars().get("reference"),
        # Workers and people from outside meet the page below other addresses, and cannot enter the admin.
        "is_in_admin": request.path.startswith("/admin/"),
    }
    return HttpResponse(render_to_string("problem.html", context), status=problem.status)
