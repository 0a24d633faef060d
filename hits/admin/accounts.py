from functools import partial
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import InvalidToken
from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin
from hits.core.domain.days import moment_in_words
from hits.core.domain.sameness import is_amazon
from hits.providers.capabilities import BY_KIND
from hits.providers.models.accounts import Account, Pace, Stranger
from hits.sync.services.account_checks import check_account
from hits.sync.services.event_inbox import subscribe_anew

SECRETS = ("secret_access_key", "ticket_key")
# Fixed once a batch was launched: a batch belongs for good to an account that has these values.
FIXED_BY_LAUNCH = ("kind", "environment", "endpoint", "currency")
STRANGERS = 20
# What says how its events come: with either changed, the provider has to be told anew.
HEARS_BY = {"notify_by", "notify_address"}
PRODUCTION = Account.Environment.PRODUCTION
PROLIFIC_HOST = ".prolific.com"
# What an account of a kind cannot be without, and what its provider does not have.
NEEDED = {
    Account.Kind.MTURK: {"access_key_id": "The Requester API asks for the id of an access key."},
    Account.Kind.PROLIFIC: {
        "workspace_id": "Give the id of the workspace whose wallet pays. It stands in its address.",
        "project_id": "Give the id of the project in which studies are made. It stands in its address.",
    },
}
UNKNOWN = {
    Account.Kind.MTURK: {
        "workspace_id": "The Requester API has no workspaces. Leave it empty.",
        "project_id": "The Requester API has no projects. Leave it empty.",
    },
    Account.Kind.PROLIFIC: {
        "access_key_id": "Prolific has a token alone: enter it as the secret, and leave this empty.",
        "ticket_key": "Prolific sends no tickets: each visit is verified by asking it. Leave this empty.",
    },
}


class AccountForm(forms.ModelForm[Account]):
    """The form of an account. Secrets can be set but never read back; an empty field keeps the old one."""

    is_meant = forms.BooleanField(
        label="Yes, batches of this account spend real money",
        required=False,
        help_text="Needed to make an account one of the production environment.",
    )

    class Meta:
        model = Account
        fields = (
            "name",
            "kind",
            "environment",
            "endpoint",
            "worker_site",
            "access_key_id",
            "secret_access_key",
            "workspace_id",
            "project_id",
            "ticket_key",
            "fee_schedule",
            "currency",
            "send_rate",
            "notify_by",
            "notify_address",
        )
        widgets = {name: forms.PasswordInput(attrs={"autocomplete": "off"}) for name in SECRETS}
        help_texts = {
            "send_rate": "At most, by all processes together. Amazon's own service is said to take 1 to 3, "
            "our own marketplace four fifths of its CROWD_MARKETPLACE_KEY_RATE."
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _empty_what_is_sealed(kwargs.get("instance"))
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in set(SECRETS) & set(self.fields):
                self.fields[name].required = False
                self.fields[name].help_text += " Leave empty to keep the present one."

    def clean_endpoint(self) -> str:
        endpoint: str = self.cleaned_data["endpoint"]
        if is_amazon(endpoint) and not settings.ALLOW_AMAZON:
            raise ValidationError(
                "This is Amazon's own service, and may cost real money. Use the address of your "
                "marketplace, or set CROWD_ALLOW_AMAZON=true and start again if that is what you want."
            )
        return endpoint

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name in SECRETS:
            if self.instance.pk and name in self.fields and not cleaned.get(name):
                cleaned[name] = self.initial[name]
        kind = Account.Kind(cleaned.get("kind") or self.instance.kind)
        self._check_kind(cleaned, kind=kind)
        self._check_production(cleaned)
        self._check_notify(cleaned, kind=kind)
        return cleaned

    def _check_kind(self, cleaned: dict[str, Any], *, kind: Account.Kind) -> None:
        """Ask for what the provider of this kind needs, and for nothing that it does not have."""
        for name, words in NEEDED.get(kind, {}).items():
            if name in self.fields and not cleaned.get(name):
                self.add_error(name, words)
        for name, words in UNKNOWN.get(kind, {}).items():
            if name in self.fields and cleaned.get(name):
                self.add_error(name, words)
        self._check_currency(cleaned, kind=kind)
        endpoint, environment = cleaned.get("endpoint", ""), cleaned.get("environment")
        is_theirs = (urlsplit(endpoint).hostname or "").endswith(PROLIFIC_HOST)
        if kind == Account.Kind.PROLIFIC and is_theirs and environment not in (None, PRODUCTION):
            self.add_error("environment", "Prolific has no sandbox: whatever is published there is paid.")

    def _check_currency(self, cleaned: dict[str, Any], *, kind: str) -> None:
        """Refuse a currency that such a provider does not pay in: its amounts would be told as another's."""
        offered = BY_KIND[kind].currencies
        is_new = {"kind", "currency"} & set(self.changed_data)
        if is_new and cleaned.get("currency", offered[0]) not in offered:
            self.add_error("currency", f"An account of this kind pays in {' or '.join(offered)}.")

    def _check_production(self, cleaned: dict[str, Any]) -> None:
        production = cleaned.get("environment") == PRODUCTION
        if production and "environment" in self.changed_data and not cleaned.get("is_meant"):
            self.add_error("is_meant", "Tick this box if real money is what you mean.")

    def _check_notify(self, cleaned: dict[str, Any], *, kind: Account.Kind) -> None:
        by, address = cleaned.get("notify_by"), cleaned.get("notify_address")
        if by and by not in BY_KIND[kind].events:
            self.add_error("notify_by", "This provider does not tell of events in this way.")
        if by in (Account.Notify.SQS, Account.Notify.SNS) and not address:
            self.add_error("notify_address", "Give the address of the queue or topic that brings the events.")
        if by in (Account.Notify.NONE, Account.Notify.WEBHOOK) and address:
            self.add_error(
                "notify_address", "Leave this empty, or choose the queue or topic that it belongs to."
            )


def _empty_what_is_sealed(account: Account | None) -> None:
    """Show a secret whose key is lost as empty, to be typed in again; until then the row keeps it."""
    for name in SECRETS if account else ():
        try:
            getattr(account, name)
        except InvalidToken:
            setattr(account, name, "")


@admin.register(Account)
class AccountAdmin(admin.ModelAdmin[Account]):
    menu = MenuPlace(Section.SET_UP, 1)
    nothing_yet = (
        "An account is where work is posted and money is spent. Add one with the address and the keys of "
        "its provider."
    )
    form = AccountForm
    list_display = (
        "name",
        "environment",
        "endpoint",
        "fee_schedule",
        "currency",
        "answers",
        "created_at",
        "see_check",
    )
    list_select_related = ("pace",)
    show_full_result_count = False
    actions = None

    def get_urls(self) -> list[URLPattern]:
        check = self.admin_site.admin_view(partial(check_view, self))
        return [path("<int:account_id>/check/", check, name="hits_account_check"), *super().get_urls()]

    def get_fields(self, request: HttpRequest, obj: Account | None = None) -> Any:
        """Hide secrets from users who may only look: the admin would print them as text."""
        names = [*AccountForm.Meta.fields]
        shown = ["answers", "see_check"] if obj else []
        if obj and request.user.has_perm("hits.view_stranger"):
            shown.append("strangers")
        if obj is not None and not self.has_change_permission(request, obj):
            return [name for name in names if name not in SECRETS] + shown
        if not (obj and _is_used(obj)):
            names.insert(names.index("environment") + 1, "is_meant")
        return names + shown

    def get_readonly_fields(self, request: HttpRequest, obj: Account | None = None) -> tuple[str, ...]:
        return ("answers", "see_check", "strangers", *(FIXED_BY_LAUNCH if obj and _is_used(obj) else ()))

    def save_model(self, request: HttpRequest, obj: Account, form: Any, change: bool) -> None:
        """Save only what the form has changed: background sweeps write other columns at the same time."""
        if not change:
            obj.save()
            return
        columns = {field.name for field in Account._meta.concrete_fields}
        if changed := columns & set(form.changed_data):
            obj.save(update_fields=changed)
        if changed & HEARS_BY:
            subscribe_anew(account=obj)

    def has_delete_permission(self, request: HttpRequest, obj: Account | None = None) -> bool:
        return False

    @admin.display(description="check")
    def see_check(self, account: Account) -> SafeString:
        address = reverse("admin:hits_account_check", args=[account.pk])
        return format_html('<a href="{}">Check this account</a>', address)

    @admin.display(description="answers")
    def answers(self, account: Account) -> str:
        """Whether the provider answers. Calls to a silent one wait, and no other account's wait with them."""
        pace: Pace | None = getattr(account, "pace", None)
        if not account.can.is_connected:
            return "no provider is asked"
        if pace is None:
            return "never asked yet"
        if pace.silent_since is None:
            return "yes"
        return f"not since {moment_in_words(pace.silent_since)} UTC. {pace.problem}"

    @admin.display(description="unknown HITs")
    def strangers(self, account: Account) -> SafeString | str:
        """HITs at the provider that show our pages but have no row here: each is stopped, or says why not."""
        found = list(account.strangers.order_by("-pk")[: STRANGERS + 1])
        if not found:
            return "None: every HIT at the provider that shows our pages has a row here."
        address = reverse("admin:hits_stranger_changelist")
        count = f"more than {STRANGERS}" if len(found) > STRANGERS else str(len(found))
        open_ones = sum(stranger.expired_at is None for stranger in found)
        return format_html(
            '<a href="{}?account__id__exact={}">{} HITs that no row here knows</a>; {} not stopped yet.',
            address,
            account.pk,
            count,
            open_ones,
        )


@admin.register(Stranger)
class StrangerAdmin(ReadOnlyAdmin[Stranger]):
    menu = MenuPlace(Section.SET_UP, 2, "Unknown HITs")
    nothing_yet = (
        "A HIT at the provider that shows our pages, but that nothing here knows, is listed here and stopped."
    )
    list_display = ("external_id", "account", "annotation", "found_at", "expired_at", "problem")
    list_display_links = None
    list_filter = ("account",)
    list_select_related = ("account",)
    ordering = ("-pk",)
    show_full_result_count = False


def check_view(accounts: admin.ModelAdmin[Account], request: HttpRequest, account_id: int) -> HttpResponse:
    """Ask the provider each question once, with a short timeout, and change nothing."""
    account = get_object_or_404(Account, pk=account_id)
    if not accounts.has_view_permission(request, account):
        raise PermissionDenied
    findings = list(check_account(account=account, now=timezone.now()))
    context = {
        **accounts.admin_site.each_context(request),
        "title": f"Check of {account.name}",
        "account": account,
        "findings": findings,
        "failed": sum(not finding.ok for finding in findings),
    }
    return TemplateResponse(request, "admin/hits/account/check.html", context)


def _is_used(account: Account) -> bool:
    return account.batches.filter(launched_at__isnull=False).exists()
