"""How a colleague signs in, on the page of the user: a lost factor is taken away, and sessions are ended."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.selection import signed_in
from hits.core.domain.days import moment_in_words
from hits.identity.models.users import User
from hits.identity.services import second_factors
from hits.identity.services.staff_sessions import end_all_of, sessions_of

ROUTES = {"factor": "hits_user_take_factor", "sessions": "hits_user_end_sessions"}


class SignInFields:
    """Two fields of a user's page, and the pages behind their links. A mixin of the users' admin."""

    @admin.display(description="second factor")
    def factor_state(self, user: User) -> SafeString | str:
        factor = user.second_factor
        if factor is None:
            return "None is set up."
        since = f"Set up on {moment_in_words(factor.made_at)}."
        return _with_link(since, user, "factor", "Take it away…")

    @admin.display(description="signed in")
    def sessions_state(self, user: User) -> SafeString | str:
        rows = sessions_of(user, now=timezone.now())
        if not rows:
            return "Nowhere."
        return _with_link(", ".join(row.device for row in rows), user, "sessions", "Sign them out…")

    def sign_in_urls(self) -> list[URLPattern]:
        view = admin.site.admin_view
        return [
            path("<int:user_id>/second-factor/", view(self._page("factor")), name=ROUTES["factor"]),
            path("<int:user_id>/sessions/", view(self._page("sessions")), name=ROUTES["sessions"]),
        ]

    def _page(self, key: str) -> Any:
        def page(request: HttpRequest, user_id: int) -> HttpResponse:
            return self._pages().answer(request, key, user_id=user_id)

        return page

    def _pages(self) -> ActionPages[User]:
        page_of: Any = self
        return ActionPages(
            actions={
                "factor": Action(label="Take away the second factor", confirm=_ask_factor, run=_take_factor),
                "sessions": Action(label="Sign out everywhere", confirm=_ask_sessions, run=_end_sessions),
            },
            find=self._find,
            back=lambda rows: _address(rows[0]),
            shared=lambda rows: {
                "trail": [("Users", reverse("admin:hits_user_changelist")), (rows[0], _address(rows[0]))]
            },
            history=lambda request, rows, words: page_of.log_change(request, rows[0], words),
        )

    def _find(self, request: HttpRequest, user_id: int) -> list[User]:
        """Return the user, if the asking one may change them. One's own factor goes with a code alone."""
        users: Any = self
        user: User = get_object_or_404(users.get_queryset(request), pk=user_id)
        if not users.has_change_permission(request, user) or user == signed_in(request):
            raise PermissionDenied
        return [user]


def _address(user: User) -> str:
    return reverse("admin:hits_user_change", args=[user.pk])


def _with_link(words: str, user: User, key: str, link: str) -> SafeString:
    address = reverse(f"admin:{ROUTES[key]}", args=[user.pk])
    return format_html('{} <a href="{}">{}</a>', words, address, link)


def _ask_factor(call: Call[User]) -> Confirm:
    text = (
        f"Only if {call.row} has lost the phone and the recovery codes, and you are sure who is asking. "
        "The password alone signs them in until they set up another. It is in the audit log with your name."
    )
    return Confirm(title=f"Take away the second factor of {call.row}", text=text, button="Take it away")


def _take_factor(call: Call[User]) -> Outcome:
    if not second_factors.take_away(user=call.row, by=call.by, now=call.now):
        return Outcome(said=f"{call.row} had no second factor.")
    return Outcome(said=f"{call.row} has no second factor now.", history="Took away the second factor.")


def _ask_sessions(call: Call[User]) -> Confirm:
    text = f"{call.row} has to sign in again on each device. What was not saved there is lost."
    return Confirm(title=f"Sign {call.row} out everywhere", text=text, button="Sign out everywhere")


def _end_sessions(call: Call[User]) -> Outcome:
    end_all_of(user=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row} is signed out everywhere.", history="Signed out everywhere.")
