"""The pages of actions on rows: each asks for confirmation, then makes one call of a service."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NoReturn

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from hits.admin.actions.shapes import Action, Call, Confirm, Hidden, Outcome, Row, RowButton
from hits.admin.selection import signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

# Fields by which a list recognizes its selection when its own form is sent to it again.
OF_A_LIST = ("action", "select_across", "_selected_action", "index")
# Fields that an action's page sends: a form with neither was sent from elsewhere.
SEEN = {"asked", "confirmed"}
TEMPLATE = "admin/hits/action.html"
CHANGED = "changed_meanwhile"
MOST_PROBLEMS = 3


def _of_a_list_alone(_: HttpRequest) -> NoReturn:
    """Raise 404: the `find` of actions that only a list offers and that have no address."""
    raise Http404


@dataclass(frozen=True, kw_only=True)
class _Page(Generic[Row]):
    """One request for one action: its form, if it has one, and the page it came from."""

    request: HttpRequest
    action: Action[Row]
    form: forms.BaseForm | None
    hidden: Hidden
    back: str
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class ActionPages(Generic[Row]):
    """The addresses of a page's actions.

    `find` gets the request and the address's arguments, and raises 404 or PermissionDenied for rows that this
    user may not see or change. `base` has a block `body` and is rendered with `shared`; an action's page that
    shows more has a `template` of its own. `page` shows the rows' own page again, if the forms are on it.
    """

    actions: Mapping[str, Action[Row]]
    find: Callable[..., Sequence[Row]] = _of_a_list_alone
    back: Callable[[Sequence[Row]], str] = lambda _: ""
    url: Callable[[Row, str], str] = lambda _row, _key: ""
    base: str = "admin/hits/action_base.html"
    template: str = TEMPLATE
    shared: Callable[[Sequence[Row]], Mapping[str, Any]] = lambda _: {}
    carried: Callable[[Sequence[Row]], Hidden] = lambda _: ()
    history: Callable[[HttpRequest, Sequence[Row], str], Any] | None = None
    page: Callable[[HttpRequest, Sequence[Row], forms.BaseForm], HttpResponse] | None = None

    def offered(self, row: Row, *, user: User) -> Sequence[RowButton]:
        """Buttons that the row's state and the user's permissions allow. The caller has checked the row."""
        return [
            self.offer(row, key)
            for key, action in self.actions.items()
            if user.has_perms(action.permissions) and action.offered(row)
        ]

    def offer(self, row: Row, key: str) -> RowButton:
        """One button, for a page that has chosen the action."""
        action, url = self.actions[key], self.url(row, key)
        return RowButton(
            key=key, label=action.label, url=url, is_first=action.is_first, one_click=action.one_click
        )

    def answer(self, request: HttpRequest, key: str, /, **where: Any) -> HttpResponse:
        """Ask for confirmation on a GET, and run the action on a POST."""
        action = self._allowed(request, key)
        rows = self.find(request, **where)
        back = self.back(rows)
        return self._answer(request, action, rows, hidden=self.carried(rows), back=back)

    def view(self, key: str) -> Callable[..., HttpResponse]:
        """A view for an address that has only this one action."""

        def view(request: HttpRequest, **where: Any) -> HttpResponse:
            return self.answer(request, key, **where)

        return view

    def answer_list(
        self, request: HttpRequest, key: str, rows: Sequence[Row], *, keys: Sequence[int] = ()
    ) -> HttpResponse:
        """Answer a list's own form, which is posted to the same address again when it is confirmed.

        With `keys`, exactly these rows are confirmed, and none that the list's filters find later.
        """
        action = self._allowed(request, key)
        hidden: Hidden = [(name, value) for name in OF_A_LIST for value in request.POST.getlist(name)]
        if keys:
            chosen = [("_selected_action", one) for one in keys]
            hidden = [("action", request.POST.get("action", "")), ("select_across", "0"), *chosen]
        back = request.get_full_path()
        return self._answer(request, action, rows, hidden=hidden, back=back, of_list=True)

    def ask_list(self, request: HttpRequest, key: str, rows: Sequence[Row], *, at: str) -> HttpResponse:
        """Ask about a list's selection; the confirmation carries it to the action's own address."""
        action = self._allowed(request, key)
        hidden, back = self.carried(rows), request.get_full_path()
        return self._answer(request, action, rows, hidden=hidden, back=back, at=at)

    def _allowed(self, request: HttpRequest, key: str) -> Action[Row]:
        if key not in self.actions:
            raise Http404
        if not request.user.has_perms(self.actions[key].permissions):
            raise PermissionDenied
        return self.actions[key]

    def _answer(
        self,
        request: HttpRequest,
        action: Action[Row],
        rows: Sequence[Row],
        *,
        hidden: Hidden,
        back: str,
        of_list: bool = False,
        at: str = "",
    ) -> HttpResponse:
        call = Call(
            rows=rows, by=signed_in(request), now=timezone.now(), sent=request.POST, query=request.GET
        )
        if refusal := action.refuses(call):
            messages.error(request, refusal)
            return redirect(back)
        # A list, or another page, sends its own form before the user has seen that of the action.
        must_see = action.needs_confirmed or (of_list and not action.one_click)
        is_unseen = at or (must_see and not SEEN & request.POST.keys())
        is_typed = request.method == "POST" and not is_unseen
        form = self._form(request, action, call, is_typed=is_typed)
        is_filled = form is None or form.is_valid()
        page = _Page(request=request, action=action, form=form, hidden=hidden, back=back, at=at)
        if not is_filled:
            return self._ask(page, call, status=400 if is_typed else 200)
        checked = replace(call, values=form.cleaned_data if form else {})
        must_confirm = must_see or action.two_steps or action.looks_first
        if not is_typed or (must_confirm and "confirmed" not in request.POST):
            return self._ask(page, checked)
        try:
            return self._finish(page, checked, action.run(checked))
        except RuleBroken as broken:
            return self._refuse(page, checked if action.looks_first else call, broken)

    def _form(
        self, request: HttpRequest, action: Action[Row], call: Call[Row], *, is_typed: bool
    ) -> forms.BaseForm | None:
        """The form, filled from the POST or from an address that asks for a look."""
        is_looking = bool(action.looks_first) and "asked" in request.GET
        typed = request.POST if is_typed else request.GET if is_looking else None
        return action.form(typed, call) if action.form else None

    def _finish(self, page: _Page[Row], call: Call[Row], outcome: Outcome) -> HttpResponse:
        if outcome.history and self.history:
            rows = call.rows if outcome.logged is None else [outcome.logged]
            self.history(page.request, rows, outcome.history)
        if outcome.said:
            messages.add_message(page.request, outcome.level, outcome.said)
        if outcome.problems:
            more = len(outcome.problems) - MOST_PROBLEMS
            tail = f" And {more} more." if more > 0 else ""
            messages.warning(page.request, f"{' '.join(outcome.problems[:MOST_PROBLEMS])}{tail}")
        return redirect(outcome.to or page.back)

    def _refuse(self, page: _Page[Row], call: Call[Row], broken: RuleBroken) -> HttpResponse:
        """Show typed values again with the refusal; if what was seen has changed, it must be seen again."""
        words = " ".join(filter(None, [str(broken), page.action.undone]))
        is_shown_anew = page.action.shown_anew or page.action.looks_first
        if page.form is None or (broken.code == CHANGED and not is_shown_anew):
            messages.error(page.request, words)
            return redirect(page.back)
        page.form.add_error(None, words)
        return self._ask(page, call, status=409)

    def _ask(self, page: _Page[Row], call: Call[Row], *, status: int = 200) -> HttpResponse:
        action, form = page.action, page.form
        if self.page and form:
            return self.page(page.request, call.rows, form)
        named = [str(row) for row in call.rows] if len(call.rows) == 1 else []
        confirm, looked = self._look(page, call)
        goes_on = action.two_steps and not (form and form.is_valid())
        is_settled = (action.two_steps and not goes_on) or action.looks_first
        context = {
            **admin.site.each_context(page.request),
            "title": confirm.title or ": ".join([action.label, *named]),
            "base": self.base,
            "form": form,
            "settled": _settled(form, confirm) if is_settled else None,
            "looks_first": action.looks_first,
            # The button that does it without a look.
            "at_once": action.label if action.may_skip_look else "",
            "looked": looked,
            "kept": _kept(page.request, form),
            "confirm": confirm,
            "button": "Go on" if goes_on else confirm.button or action.label,
            "is_grave": action.is_grave and not goes_on,
            "hidden": [*page.hidden, *confirm.hidden, ("asked" if goes_on else "confirmed", "yes")],
            "back": page.back,
            "at": page.at,
            **self.shared(call.rows),
            **confirm.details,
        }
        return TemplateResponse(page.request, self.template, context, status=status)

    def _look(self, page: _Page[Row], call: Call[Row]) -> tuple[Confirm, bool]:
        """Return what the action would do, and whether values were typed. A refusal goes into the form."""
        try:
            return page.action.confirm(call), bool(call.values)
        except RuleBroken as broken:
            if not (page.action.looks_first and page.form and call.values):
                raise
            page.form.add_error(None, str(broken))
            return page.action.confirm(replace(call, values={})), False


def _kept(request: HttpRequest, form: forms.BaseForm | None) -> Hidden:
    """Parameters of the address beside the form's, such as what its choices depend on."""
    named = {*(form.fields if form else ()), "asked"}
    return [(name, value) for name, value in request.GET.items() if name not in named]


def _settled(form: forms.BaseForm | None, confirm: Confirm) -> Sequence[SafeString]:
    """Carry what was typed as hidden fields; values that the page names itself replace it."""
    named = {name for name, _ in confirm.hidden}
    return [field.as_hidden({"id": False}) for field in form or () if field.name not in named]
