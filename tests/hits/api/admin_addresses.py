"""The addresses of the admin whose view takes a form, found in the URL list and in the views' code."""

import functools
from collections.abc import Callable, Collection, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpResponse
from django.test import RequestFactory

from crowd.whoops.images.admin.addresses import by_post
from hits.identity.models.users import User
from tests.attacks.crawling import patterns

OURS = ("hits", "scoring", "qualifications", "crowd")
# What a view reads that takes a form; or it hands on to Django's own.
POSTED = frozenset({"POST", "FILES", "changeform_view"})
OURS_BY_POST = by_post(lambda *_: HttpResponse()).__code__
# Django's own pages: those of the whole site that take a form, and those of a model with their permissions.
OF_THE_SITE = ("login", "logout", "password_change")
OF_MODELS = {"add_view": "add", "change_view": "change", "delete_view": "delete"}


def form_addresses() -> dict[str, str]:
    """Return the routes that take a form, by name, without pages that do no more than run an Action."""
    return {
        pattern.name or route: route
        for route, pattern in patterns(settings.ROOT_URLCONF)
        if route.startswith("admin/") and _takes_a_form(pattern.callback)
    }


def _takes_a_form(callback: Callable[..., Any]) -> bool:
    view, methods = _unwrapped(callback)
    if "POST" not in methods or getattr(view, "__qualname__", "").startswith("ActionPages.view."):
        return False
    if "GET" not in methods:
        return True
    owner = getattr(view, "__self__", None)
    if isinstance(owner, admin.AdminSite):
        return view.__name__ in OF_THE_SITE
    if isinstance(owner, admin.ModelAdmin) and _permits(owner, view.__name__):
        return True
    return _reads_a_form(view, seen=set())


def _unwrapped(callback: Any) -> tuple[Any, Collection[str]]:
    """Return the view itself, and the methods to which its decorators limit it."""
    methods: Collection[str] = ("GET", "POST")
    while True:
        if isinstance(callback, functools.partial):
            callback = callback.func
        elif isinstance(callback, FunctionType) and hasattr(callback, "__wrapped__"):
            cells = dict(zip(callback.__code__.co_freevars, callback.__closure__ or (), strict=True))
            if "request_method_list" in cells:
                methods = cells["request_method_list"].cell_contents
            elif callback.__code__ is OURS_BY_POST:
                methods = ("POST",)
            callback = callback.__wrapped__
        else:
            return callback, methods


def _permits(page: admin.ModelAdmin[Any], name: str) -> bool:
    """Tell whether Django's form at this address is open to anybody at all."""
    if name not in OF_MODELS:
        return name == "user_change_password"
    request = RequestFactory().post("/")
    request.user = User(is_superuser=True, is_active=True, is_staff=True)
    return bool(getattr(page, f"has_{OF_MODELS[name]}_permission")(request))


def _reads_a_form(view: Any, *, seen: set[int]) -> bool:
    """Tell whether our code of a view, or of what it calls by name, reads what was posted."""
    function = view.__func__ if isinstance(view, MethodType) else view
    if not isinstance(function, FunctionType) or id(function) in seen or not _is_ours(function):
        return False
    seen.add(id(function))
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    if names & POSTED or any("POST" in code.co_consts for code in _codes(function.__code__)):
        return True
    owner = getattr(view, "__self__", None)
    called = [
        found for name in names for found in (function.__globals__.get(name), getattr(owner, name, None))
    ]
    return any(_reads_a_form(one, seen=seen) for one in called)


def _is_ours(function: FunctionType) -> bool:
    return function.__module__.partition(".")[0] in OURS


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
