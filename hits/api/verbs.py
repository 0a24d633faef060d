"""Verbs of the API that do what an action of the admin does: one service, one set of rules, one form."""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import admin
from django.http import QueryDict
from django.utils import timezone
from django.utils.html import strip_tags
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.admin.actions import Action, Call
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.request_permissions import Need
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope


@dataclass(frozen=True, kw_only=True)
class Verb:
    """An action of the admin with an address. `body` has the fields of the action's form."""

    action: Action[Any]
    about: str
    scope: Scope
    body: type[serializers.Serializer[Any]] = Empty
    # The hidden field in which the action's page carries what a person has seen. It is `seen` in a body, and
    # what is there now if a body has none.
    seen: str = "seen"
    # The row as the action takes it, where that is not the resource's own row.
    row: Callable[[Any], Any] = lambda row: row
    # The row whose history says what was done, of the one that the action takes.
    logged: Callable[[Any], Any] = lambda row: row


class Done(serializers.Serializer[Any]):
    """The outcome of a verb, in words."""

    message = serializers.CharField(allow_blank=True)
    problems = serializers.ListField(child=serializers.CharField())


def _verb_methods(verbs: Mapping[str, Verb], *, look: Need) -> dict[str, tuple[Callable[..., Any], Need]]:
    """Return the view's method for each verb, and what the method needs."""
    return {
        key: (_method(key, verb), Need(verb.scope, (*look.permissions, *verb.action.permissions)))
        for key, verb in verbs.items()
    }


def give_verbs(view: type[Any], verbs: Mapping[str, Verb], *, look: Need) -> None:
    """Give a view the methods of these verbs, and say what each needs."""
    for key, (method, wanted) in _verb_methods(verbs, look=look).items():
        setattr(view, key, method)
        view.needs[key] = wanted


def run_verb(verb: Verb, row: Any, *, body: Mapping[str, Any], request: Request) -> Response:
    """Run the action on one row."""
    return run_on_rows(verb, [verb.row(row)], body=body, request=request)


def run_on_rows(verb: Verb, rows: Sequence[Any], *, body: Mapping[str, Any], request: Request) -> Response:
    """Run the action as the admin's own page would. Raises ValidationError for what its form refuses.

    Raises RuleBroken if the body names something as seen that is not there any more.
    """
    body = {verb.seen if name == "seen" else name: value for name, value in body.items()}
    call: Call[Any] = Call(rows=rows, by=user_of(request), now=timezone.now(), sent=posted(body))
    if refusal := verb.action.refuses(call):
        raise RuleBroken("refused", _plain(refusal))
    confirm = verb.action.confirm(_checked(verb, call))
    if confirm.is_blocked:
        words = confirm.problem or " ".join(confirm.consequences) or confirm.text
        raise RuleBroken("refused", _plain(words))
    # The caller stands where a person stands who has read the page: what it carries is sent along, unless
    # the caller has looked at the row itself and says what was there then.
    outcome = verb.action.run(_checked(verb, replace(call, sent=posted(body, confirm.hidden))))
    if outcome.history:
        logged = verb.logged(rows[0]) if outcome.logged is None else outcome.logged
        write_history(request, logged, outcome.history)
    # A page would have said this before: that some of the named rows are not found, for example.
    problems = [_plain(problem) for problem in (confirm.problem, *outcome.problems) if problem]
    return Response(Done({"message": _plain(outcome.said), "problems": problems}).data)


def write_history(request: Request, row: Any, words: str) -> None:
    """Write into a row's history what the admin's pages write."""
    pages: Any = admin.site.get_model_admin(type(row))
    pages.log_change(request, row, words)


def _method(key: str, verb: Verb) -> Callable[..., Any]:
    def run(view: Any, request: Request, **_: Any) -> Response:
        return run_verb(verb, view.get_object(), body=view.read(verb.body), request=request)

    run.__name__ = key
    run.__doc__ = verb.about
    described = extend_schema(request=verb.body, responses=Done)(run)
    made: Callable[..., Any] = action(detail=True, methods=["post"], url_path=key.replace("_", "-"))(
        described
    )
    return made


def _checked(verb: Verb, call: Call[Any]) -> Call[Any]:
    """Return the call with the values of the action's form."""
    if verb.action.form is None:
        return call
    form = verb.action.form(call.sent, call)
    if not form.is_valid():
        raise serializers.ValidationError(form.errors.get_json_data())
    return replace(call, values=form.cleaned_data)


def posted(body: Mapping[str, Any], hidden: Any = ()) -> QueryDict:
    """Return the body as a page would post it."""
    sent = QueryDict(mutable=True)
    for name, value in body.items():
        sent.setlist(
            name, [_as_typed(one) for one in value] if isinstance(value, list) else [_as_typed(value)]
        )
    for name, value in hidden:
        if name not in body:
            sent.appendlist(name, str(value))
    sent["confirmed"] = "yes"
    return sent


def _as_typed(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else ""
    return "" if value is None else str(value)


def _plain(words: object) -> str:
    return html.unescape(strip_tags(str(words)))
