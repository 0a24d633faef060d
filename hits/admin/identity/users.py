"""Colleagues: an account, a role and studies in one form. No user can give themselves more rights."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import (
    AdminPasswordChangeForm,
    ReadOnlyPasswordHashField,
    ReadOnlyPasswordHashWidget,
    UserChangeForm,
    UserCreationForm,
)
from django.contrib.auth.hashers import is_password_usable
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils import timezone

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.identity.user_sign_in import SignInFields
from hits.admin.selection import signed_in
from hits.core import audit_trail
from hits.identity.models.users import User
from hits.identity.roles import MEANINGS
from hits.studies.models import Study
from hits.work import access

ROLES_HELP = "What they may do. A person may have several roles."
STUDIES_HELP = "The studies that they are members of. They see no others; only an operator sees every study."


class RoleChoices(forms.ModelMultipleChoiceField[Group]):
    """A box for each role, with a line that says what it is for. Groups of a superuser's have their name."""

    def label_from_instance(self, obj: Group) -> str:
        meaning = MEANINGS.get(obj.name)
        return f"{obj.name}: {meaning}" if meaning else obj.name


def roles_field() -> forms.ModelMultipleChoiceField[Group]:
    return RoleChoices(
        Group.objects.order_by("name"),
        label="Roles",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=ROLES_HELP,
    )


def studies_field() -> forms.ModelMultipleChoiceField[Study]:
    return forms.ModelMultipleChoiceField(
        Study.objects.order_by("name"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=STUDIES_HELP,
    )


class AddForm(UserCreationForm[User]):
    groups = roles_field()
    studies = studies_field()

    def save(self, commit: bool = True) -> User:
        """Save as staff: every user here signs in to the admin, and workers have accounts elsewhere."""
        self.instance.is_staff = True
        return super().save(commit=commit)


class PasswordState(ReadOnlyPasswordHashWidget):
    """Whether there is a password, without how it is kept, and the way to a new one."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        is_set = is_password_usable(value)
        context["summary"] = [{"label": "A password is set." if is_set else "No password is set."}]
        context["button_label"] = "Set a new password" if is_set else "Set a password"
        return context


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]
    """A new password. Nobody here signs in without one: whoever is to stay out is made inactive."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("usable_password", None)
        self.fields["password1"].required = self.fields["password2"].required = True


class ChangeForm(UserChangeForm[User]):
    password = ReadOnlyPasswordHashField(label="Password", widget=PasswordState)
    groups = roles_field()
    studies = studies_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "password" in self.fields:
            self.fields["password"].help_text = "Nobody can see it. Tell the person a new one."
        self.fields["studies"].initial = self.instance.studies.all()


@admin.register(User)
class UserAdmin(SignInFields, DjangoUserAdmin[User]):
    menu = MenuPlace(Section.SET_UP, 4)
    nothing_yet = "Users are the people who sign in here, each with roles. Add one with the button above."
    add_form = AddForm
    # Django's own says that more can be set later: here it is one form.
    add_form_template = "admin/change_form.html"
    form = ChangeForm
    change_password_form = PasswordForm
    change_user_password_template = "admin/hits/user_password.html"  # noqa: S105 - a template
    list_display = ("username", "first_name", "last_name", "roles", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    filter_horizontal = ("user_permissions",)
    add_fieldsets = (
        (None, {"fields": ("username", "first_name", "last_name", "email")}),
        ("Password", {"fields": ("password1", "password2")}),
        ("What they may do", {"fields": ("groups", "studies")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).select_related("second_factor").prefetch_related("groups")

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Show single permissions and the superuser flag only to superusers."""
        if obj is None:
            return self.add_fieldsets
        rights = ["is_active", "is_staff", "groups"]
        if self.has_change_permission(request, obj):
            rights.append("studies")  # a field of the form only: a read-only page has none
        if request.user.is_superuser:
            rights += ["is_superuser", "user_permissions"]
        return (
            (None, {"fields": ("username", "password")}),
            ("Person", {"fields": ("first_name", "last_name", "email")}),
            ("What they may do", {"fields": rights}),
            *self._sign_in_fieldset(request, obj),
            ("Dates", {"fields": ("last_login", "date_joined")}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Keep users from giving themselves a role."""
        own = obj is not None and obj.pk == request.user.pk and not request.user.is_superuser
        shown = ("last_login", "date_joined", "factor_state", "sessions_state")
        return (*shown, *(("groups",) if own else ()))

    def get_urls(self) -> list[URLPattern]:
        return [*self.sign_in_urls(), *super().get_urls()]

    def _sign_in_fieldset(self, request: HttpRequest, user: User) -> list[Any]:
        """Show how a colleague signs in, with what can be done about it. For oneself there are pages."""
        if user == request.user or not self.has_change_permission(request, user):
            return []
        return [("Signing in", {"fields": ("factor_state", "sessions_state")})]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Protect superusers: a user who could set a superuser's password would be one."""
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """False: what users did stays on record under their name. Make them inactive instead."""
        return False

    def get_form(
        self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        if "studies" in form.base_fields:
            # A field of its own: the declared one is shared by all requests of this process.
            field = studies_field()
            field.queryset = access.studies_of(request.user).order_by("name")
            form.base_fields["studies"] = field
        return form

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the chosen studies; studies that this user cannot see stay as they are."""
        before = _rights_of(form.instance)
        super().save_related(request, form, formsets, change)
        chosen = form.cleaned_data.get("studies")
        if chosen is not None:
            mine = access.studies_of(request.user)
            form.instance.studies.set([*form.instance.studies.exclude(pk__in=mine), *chosen])
        _note_rights(form.instance, before=before, by=signed_in(request))

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all())) or "none"


def _rights_of(user: User) -> dict[str, set[str]]:
    return {
        "roles": {group.name for group in user.groups.all()},
        "studies": {study.name for study in user.studies.all()},
    }


def _note_rights(user: User, *, before: Mapping[str, set[str]], by: User) -> None:
    """Write into the audit log what was given and what was taken, if anything was."""
    now = _rights_of(user)
    changes = [
        f"{word} {what}: {', '.join(sorted(names))}"
        for what in now
        for word, names in (("given", now[what] - before[what]), ("taken", before[what] - now[what]))
        if names
    ]
    if changes:
        words = f"{user.get_username()}: {'; '.join(changes)}."
        audit_trail.note("user.rights", words, by=by, now=timezone.now())
