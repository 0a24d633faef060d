"""Signing in to the admin. Wrong passwords are counted as at every other sign-in, and the user is told."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError
from django.utils import timezone

from hits.common import login_throttle
from hits.common.client_address import address_of
from hits.core import audit_trail
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User

DOOR = "admin"
STOPPED = "sign_in.stopped"
TOO_MANY = ValidationError(
    "There were too many wrong passwords. Even the right one is not tried now: wait a quarter of an hour, or "
    "sign in from where you usually do. If you have forgotten yours, ask the manager of the accounts.",
    code="too_many",
)
BY_PROVIDER = ValidationError(
    "Passwords are switched off here. Sign in by your institution, with the button above.", code="by_provider"
)
OF_THE_DESK = "Accounts of the marketplace’s desk do not work here, nor do those of workers."


class SignIn(AdminAuthenticationForm):
    def clean(self) -> Any:
        given = {
            "door": DOOR,
            "name": self.cleaned_data.get("username", "").casefold(),
            "address": address_of(self.request) if self.request else "",
        }
        try:
            login_throttle.refuse_if_guessing(**given)
        except login_throttle.TooManyFailures:
            raise TOO_MANY from None
        try:
            cleaned = super().clean()
        except ValidationError:
            login_throttle.count_failure(**given)
            _note_if_stopped(given)
            raise
        if not settings.PASSWORD_SIGN_IN and not self.get_user().is_superuser:
            raise BY_PROVIDER
        _tell(self.request, self.get_user())
        return cleaned

    def get_invalid_login_error(self) -> ValidationError:
        said = " ".join(super().get_invalid_login_error().messages)
        return ValidationError(f"{said} {OF_THE_DESK}", code="invalid_login")


def _note_if_stopped(given: dict[str, str]) -> None:
    """Audit a stopped sign-in, once in a while for each name and address; nothing for unknown names."""
    try:
        login_throttle.refuse_if_guessing(**given)
    except login_throttle.TooManyFailures:
        owner = User.objects.filter(username__iexact=given["name"]).first()
        if owner is not None:
            words = f"Stopped signing in as {owner} for a quarter of an hour, after wrong passwords."
            audit_trail.note(STOPPED, words, by=owner, now=timezone.now())


def _tell(request: Any, user: Any) -> None:
    """Tell the user of stopped sign-ins, before Django overwrites the time of the last one."""
    stops = AuditEvent.objects.filter(kind=STOPPED, by=user)
    if user.last_login:
        stops = stops.filter(at__gt=user.last_login)
    if count := stops.count():
        times = "once" if count == 1 else f"{count} times"
        messages.warning(
            request,
            f"Since you last signed in, signing in under your name was stopped {times} after wrong "
            "passwords. If that was not you, tell the manager of the accounts, and change your password.",
        )


admin.site.login_form = SignIn
