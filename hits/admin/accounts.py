from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from hits.models import Account

SECRETS = ("secret_access_key", "ticket_key")


class AccountForm(forms.ModelForm[Account]):
    """Secrets can be set but never read back; an empty field leaves the old one."""

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
            "ticket_key",
            "fee_schedule",
            "currency",
        )
        widgets = {name: forms.PasswordInput(attrs={"autocomplete": "off"}) for name in SECRETS}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in set(SECRETS) & set(self.fields):
                self.fields[name].required = False
                self.fields[name].help_text += " Leave empty to keep the present one."

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name in SECRETS:
            if self.instance.pk and name in self.fields and not cleaned.get(name):
                cleaned[name] = self.initial[name]
        return cleaned


@admin.register(Account)
class AccountAdmin(admin.ModelAdmin[Account]):
    form = AccountForm
    list_display = ("name", "environment", "endpoint", "fee_schedule", "created_at")

    def get_fields(self, request: HttpRequest, obj: Account | None = None) -> Any:
        """Who may only look is shown no secret: the admin would print it as text."""
        names = [*AccountForm.Meta.fields]
        if obj is None or self.has_change_permission(request, obj):
            return names
        return [name for name in names if name not in SECRETS]

    def has_delete_permission(self, request: HttpRequest, obj: Account | None = None) -> bool:
        return False
