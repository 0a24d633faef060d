"""Addresses of a project's pages, and of the lists behind its figures."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import reverse

from crowd.whoops.models import Project


def page_url(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk, *more])


def images_url(project: Project, *, state: str = "", **more: str) -> str:
    query = {"project__study__id__exact": str(project.study_id), **more}
    if state:
        query["state__exact"] = state
    return f"{reverse('admin:whoops_image_changelist')}?{urlencode(query)}"


def by_post(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let only POST requests through to a page's view, which is given the admin before the request."""

    @wraps(view)
    def posted(pages: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return (
            view(pages, request, *args, **kwargs)
            if request.method == "POST"
            else HttpResponseNotAllowed(["POST"])
        )

    return posted
