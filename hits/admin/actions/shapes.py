"""The values that describe an action on rows: its input, its question and its outcome."""

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
    """The input of an action. `sent` is the whole POST, for fingerprints of what a person has seen.

    `query` is the address's query, from which a form takes its first values.
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
    """The content of a page that asks for confirmation. `hidden` is sent along.

    `is_blocked`: the page has no button; the service refuses a form that is sent all the same.
    `detail` is a template that shows what the action is about, with `details` in its context.
    """

    title: str = ""
    text: str = ""
    consequences: Sequence[str] = ()
    cost: str = ""
    problem: str = ""
    is_blocked: bool = False
    button: str = ""
    # The words of the way back.
    back: str = "Cancel"
    hidden: Hidden = ()
    detail: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of an action: the message, the words for the history, and the address if it is not `back`.

    `logged`: the row whose history it is, if that is not the first chosen row.
    """

    said: str = ""
    level: int = messages.SUCCESS
    problems: Sequence[str] = ()
    history: str = ""
    logged: Any = None
    to: str = ""


@dataclass(frozen=True, kw_only=True)
class Action(Generic[Row]):
    """An action on rows: `run` does it and may raise RuleBroken; `refuses` says why it cannot be done now.

    `is_first`: the action that most people should take where it is offered.
    `one_click`: its button does it, on a list too; the page is only for users who open its address.
    `two_steps`: the form is filled in first, and the consequences of what was typed are shown then.
    `looks_first`: the label of a button that only looks. The result, which `confirm` tells from the values,
    is below it with the button that does it; the form may be changed and looked at again.
    `may_skip_look`: the form has the button that does it as well, for who need not look.
    `undone` is added to a refusal. `shown_anew`: what has changed meanwhile is shown again with what was
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
    may_skip_look: bool = False
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
    """A sentence for a page that asks, with the names it is about in bold. All of them are escaped."""
    return format_html(text, *(format_html("<strong>{}</strong>", one) for one in strong), **plain)


def unless_ticked(words: str) -> Callable[[Call[Any]], str]:
    """A `refuses` that says these words unless the box beside the button is ticked."""
    return lambda call: "" if call.sent.get("confirmed") == "yes" else words


def one_by_one(rows: Iterable[Row], do: Callable[[Row], Any]) -> tuple[int, Sequence[str]]:
    """Do it to each row; return how many succeeded, and in words why each of the others did not."""
    done, problems = 0, []
    for row in rows:
        try:
            do(row)
        except RuleBroken as broken:
            problems.append(f"{row}: {broken}")
        else:
            done += 1
    return done, problems
