"""API tokens: made with scopes and an end, shown once, revoked for good."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.debug import sensitive_variables

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import state_tag
from hits.admin.page_parts import ReadOnlyAdmin
from hits.core.errors import RuleBroken
from hits.identity import api_tokens
from hits.identity.api_tokens import Scope
from hits.identity.models.api_tokens import ApiToken

DAYS = 90


class TokenForm(forms.Form):
    name = forms.CharField(max_length=64, help_text="What the token is for: a notebook, a script.")
    scopes = forms.MultipleChoiceField(
        label="What it may be used for",
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
        help_text="Never more than you may do yourself.",
    )
    days = forms.IntegerField(
        label="Days until it ends", min_value=1, max_value=api_tokens.LONGEST_DAYS, initial=DAYS
    )


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin[ApiToken]):
    menu = MenuPlace(Section.SET_UP, 5)
    nothing_yet = (
        "A token opens the programming interface to a program, with the rights that you choose. Create one "
        "with the button above."
    )
    list_display = ("name", "state", "revoke", "scopes_in_words", "expires_at", "last_used_at", "owner")
    list_select_related = ("user",)
    ordering = ("-pk",)
    search_fields = ("name", "user__username")
    fields = (
        "name",
        "owner",
        "scopes_in_words",
        "state",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoke",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        """One's own tokens; superusers see and can revoke all of them."""
        rows = super().get_queryset(request)
        return rows if request.user.is_superuser else rows.filter(user=request.user.pk)

    def get_urls(self) -> list[URLPattern]:
        revoke = self.admin_site.admin_view(self.revoke_view)
        return [path("<int:token_id>/revoke/", revoke, name="hits_apitoken_revoke"), *super().get_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.add_apitoken")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TokenForm(request.POST or None)
        if form.is_valid() and (made := self._make(request, form)):
            return self._page(request, "admin/hits/token_made.html", title="Your new API token", **made)
        return self._page(request, "admin/hits/token_add.html", title="Create an API token", form=form)

    @sensitive_variables("secret")
    def _make(self, request: HttpRequest, form: TokenForm) -> dict[str, Any] | None:
        try:
            token, secret = api_tokens.make_token(
                user=request.user,  # type: ignore[arg-type]
                now=timezone.now(),
                **form.cleaned_data,
            )
        except RuleBroken as broken:
            form.add_error("name", str(broken))
            return None
        self.log_addition(request, token, [{"added": {}}])
        return {"token": token, "secret": secret}

    def revoke_view(self, request: HttpRequest, token_id: int) -> HttpResponse:
        return self._revoking().answer(request, "revoke", token_id=token_id)

    def _revoking(self) -> ActionPages[ApiToken]:
        """The pages of revoking, which ask first because it cannot be undone."""
        revoke = Action(label="Revoke", confirm=_ask_to_revoke, run=_revoke)
        tokens_list = reverse("admin:hits_apitoken_changelist")
        return ActionPages(
            actions={"revoke": revoke},
            find=self._find,
            back=lambda _: tokens_list,
            shared=lambda _: {"opts": self.opts, "trail": [("API tokens", tokens_list)]},
            history=lambda request, rows, words: self.log_change(request, rows[0], words),
        )

    def _find(self, request: HttpRequest, token_id: int) -> list[ApiToken]:
        token = get_object_or_404(self.get_queryset(request), pk=token_id)
        if not self.has_view_permission(request, token):
            raise PermissionDenied
        return [token]

    def _page(self, request: HttpRequest, template: str, **context: Any) -> HttpResponse:
        shown = {**self.admin_site.each_context(request), "opts": self.opts, **context}
        return TemplateResponse(request, template, shown)

    @admin.display(ordering="user__username")
    def owner(self, token: ApiToken) -> str:
        return token.user.username

    @admin.display(description="may be used for")
    def scopes_in_words(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    @admin.display
    def state(self, token: ApiToken) -> SafeString:
        if token.revoked_at:
            return state_tag("Revoked")
        return state_tag("Expired") if token.expires_at <= timezone.now() else state_tag("In force", "good")

    @admin.display(description="")
    def revoke(self, token: ApiToken) -> SafeString | str:
        if token.revoked_at:
            return ""
        address = reverse("admin:hits_apitoken_revoke", args=[token.pk])
        return format_html('<a href="{}" aria-label="Revoke {}">Revoke…</a>', address, token.name)


def _ask_to_revoke(call: Call[ApiToken]) -> Confirm:
    token, used = call.row, "It has never been used."
    if token.last_used_at:
        used = f"It was last used on {date_format(token.last_used_at, 'j F Y, H:i')} UTC."
    stops = f"Programs with “{token}” of {token.user} stop working at once. This cannot be undone. {used}"
    return Confirm(title="Revoke a token", text=stops, button="Revoke it")


def _revoke(call: Call[ApiToken]) -> Outcome:
    token = call.row
    was_in_force = api_tokens.revoke_token(token=token, by=call.by, now=call.now)
    said = f"“{token}” is revoked: nothing can be done with it any more."
    return Outcome(said=said, history="Revoked." if was_in_force else "")
