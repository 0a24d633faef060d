"""What can be done to rows by a button, in values: what it is told, what it asks, what it says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import messages
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.core.errors import RuleBroken
from hits.identity.models.users import User

Row = TypeVar("Row")
Hidden = Sequence[tuple[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Call(Generic[Row]):
    """What an action is told. `sent` is the whole POST, for fingerprints of what a person has seen.

    `query` is that of the address, for what a form begins with.
    """

    rows: Sequence[Row]
    by: User
    now: datetime
    values: Mapping[str, Any] = field(default_factory=dict)
    sent: QueryDict = field(default_factory=QueryDict)
    query: QueryDict = field(default_factory=QueryDict)

    @property
    def row(self) -> Row:
        (row,) = self.rows
        return row


@dataclass(frozen=True, kw_only=True)
class Confirm:
    """The page that asks. `hidden` is sent along.

    `is_blocked`: the page has no button; whoever sends its form all the same is refused by the service.
    `detail` is a template that shows what it is about, and sees `details`.
    """

    title: str = ""
    text: str = ""
    consequences: Sequence[str] = ()
    cost: str = ""
    problem: str = ""
    is_blocked: bool = False
    button: str = ""
    hidden: Hidden = ()
    detail: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What is said afterwards, what goes on record, and where it leads if not back.

    `logged`: the row whose history it is, where that is not the first of those that were chosen.
    """

    said: str = ""
    level: int = messages.SUCCESS
    problems: Sequence[str] = ()
    history: str = ""
    logged: Any = None
    to: str = ""


@dataclass(frozen=True, kw_only=True)
class Action(Generic[Row]):
    """`run` does it, and may raise RuleBroken. `refuses` says why it cannot be done now, if so.

    `is_first`: what most people should do where it is offered.
    `one_click`: its button does it, on a list too, and the page is only for who comes by the address.
    `two_steps`: the form is filled in first, and the consequences of what was typed are shown then.
    `looks_first`: the button of a form that only looks. What it would come to stands below it, as `confirm`
    tells by the values, with the button that does it; the form may be changed and looked at again.
    `undone` is added to what a refusal says. `shown_anew`: what has changed meanwhile is shown with what was
    typed, and has to be seen there.
    `needs_confirmed`: a form that was sent from elsewhere leads to the page first.
    """

    label: str
    run: Callable[[Call[Row]], Outcome]
    confirm: Callable[[Call[Row]], Confirm] = lambda _: Confirm()
    form: Callable[[QueryDict | None, Call[Row]], forms.BaseForm] | None = None
    permissions: Sequence[str] = ()
    offered: Callable[[Row], bool] = lambda _: True
    refuses: Callable[[Call[Row]], str] = lambda _: ""
    is_first: bool = False
    one_click: bool = False
    two_steps: bool = False
    looks_first: str = ""
    needs_confirmed: bool = False
    is_grave: bool = False
    undone: str = ""
    shown_anew: bool = False


@dataclass(frozen=True, kw_only=True)
class RowButton:
    """One button of a row's page."""

    key: str
    label: str
    url: str
    is_first: bool
    one_click: bool


def emphasize(text: str, *strong: object, **plain: object) -> SafeString:
    """A sentence for a page that asks, with the names it is about set in bold. All of them are escaped."""
    return format_html(text, *(format_html("<strong>{}</strong>", one) for one in strong), **plain)


def unless_ticked(words: str) -> Callable[[Call[Any]], str]:
    """For `refuses`: the box beside the button is one that a person ticks."""
    return lambda call: "" if call.sent.get("confirmed") == "yes" else words


def one_by_one(rows: Iterable[Row], do: Callable[[Row], Any]) -> tuple[int, Sequence[str]]:
    """For how many it was done, and in words why not for the others."""
    done, problems = 0, []
    for row in rows:
        try:
            do(row)
        except RuleBroken as broken:
            problems.append(f"{row}: {broken}")
        else:
            done += 1
    return done, problems
