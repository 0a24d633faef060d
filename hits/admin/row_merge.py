"""Merging of rows that mean the same: they are chosen in a list, and a page asks which one stays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.selection import MOST, read_keys

Row = TypeVar("Row", bound=Model)


class MergeForm(forms.Form):
    into = forms.ChoiceField(widget=forms.RadioSelect)

    def __init__(self, data: Any, *, rows: Mapping[str, str], question: str, help_text: str) -> None:
        super().__init__(data)
        into: Any = self.fields["into"]
        into.choices, into.label, into.help_text = list(rows.items()), question, help_text


@dataclass(frozen=True, kw_only=True)
class RowMerge(Generic[Row]):
    """The merging of rows called `many`, which is also the field that carries them. `named` labels a choice.

    `merge` is given all of them and the one that stays, and says in words what became of the others.
    """

    many: str
    permission: str
    question: str
    help_text: str
    named: Callable[[Row], str]
    merge: Callable[[Sequence[Row], Row], str]
    text: Callable[[int], str] = lambda _: ""

    def choose(self, address: str, rows: QuerySet[Row]) -> HttpResponse:
        """Redirect from the list to the page that asks."""
        keys = rows.order_by("pk").values_list("pk", flat=True)[:MOST]
        return redirect(f"{reverse(address)}?{urlencode({self.many: ','.join(map(str, keys))})}")

    def pages(self, page: admin.ModelAdmin[Row], *, back: str) -> ActionPages[Row]:
        """The pages that ask; `back` is the name of the list's address."""

        def chosen(request: HttpRequest) -> QuerySet[Row]:
            given = request.POST if request.method == "POST" else request.GET
            return page.get_queryset(request).filter(pk__in=read_keys(given.get(self.many, "")))

        return ActionPages(
            actions={"merge": self.action()},
            find=lambda request: list(chosen(request).order_by("name")),
            back=lambda _: reverse(back),
            shared=lambda _: {"opts": page.opts, "trail": [(self.many.capitalize(), reverse(back))]},
            carried=lambda rows: [(self.many, ",".join(str(row.pk) for row in rows))],
            history=lambda request, rows, words: page.log_change(request, rows[0], words),
        )

    def action(self) -> Action[Row]:
        return Action(
            label="Merge",
            permissions=[self.permission],
            form=self._form,
            refuses=self._refuse,
            confirm=lambda call: Confirm(title=f"Merge {self.many}", text=self.text(len(call.rows))),
            run=self._run,
        )

    def _form(self, data: Any, call: Call[Row]) -> MergeForm:
        rows = {str(row.pk): self.named(row) for row in call.rows}
        return MergeForm(data, rows=rows, question=self.question, help_text=self.help_text)

    def _refuse(self, call: Call[Row]) -> str:
        return "" if len(call.rows) > 1 else f"Choose two {self.many} or more that are to become one."

    def _run(self, call: Call[Row]) -> Outcome:
        (into,) = (row for row in call.rows if str(row.pk) == call.values["into"])
        gone = ", ".join(f"“{row}”" for row in call.rows if row != into)
        became = self.merge(call.rows, into)
        return Outcome(
            said=f"{gone} became “{into}”. {became}", history=f"Merged {gone} into it. {became}", logged=into
        )
