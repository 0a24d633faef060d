"""Forms for what workers write about themselves, with errors in plain words."""

from typing import Any, cast

from django import forms
from django.contrib.auth.password_validation import (
    UserAttributeSimilarityValidator,
    validate_password,
)
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.marketplace import countries
from crowd.marketplace.models import Complaint, EmailAddress
from crowd.marketplace.models.parties import Worker

SIGN_IN_NAME = RegexValidator(
    r"\A[A-Za-z0-9](?:[A-Za-z0-9._@+-]*[A-Za-z0-9])?\Z",
    gettext_lazy("Use letters, digits and . _ - @ + only; begin and end with a letter or digit."),
)
SUBDIVISION = RegexValidator(r"\A[A-Za-z0-9]{1,3}\Z", gettext_lazy("At most three letters or digits."))
NOT_LIKE_THE_NAME = UserAttributeSimilarityValidator(user_attributes=("sign_in_name", "name"))
PASSWORD_LENGTH = 256


def refuse_unprintable(name: str) -> None:
    """Raise ValidationError: a name is shown within one line, also in the operator's files."""
    if not name.isprintable():
        raise ValidationError(_("Leave out line breaks, tabs and characters that cannot be seen."))


class SignInNameField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Sign-in name"),
            min_length=3,
            max_length=64,
            validators=[SIGN_IN_NAME],
            help_text=gettext_lazy(
                "3 to 64 letters and digits. Requesters never see it; those who run this marketplace do."
            ),
            widget=forms.TextInput(
                {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
            ),
        )


class NameField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("Your name"),
            max_length=64,
            validators=[refuse_unprintable],
            help_text=gettext_lazy(
                "What this site calls you. Those who run it see it; requesters see your worker id instead."
            ),
            widget=forms.TextInput({"autocomplete": "name"}),
        )


class PasswordField(forms.CharField):
    def __init__(self, label: Any, *, autocomplete: str, help_text: Any = "") -> None:
        super().__init__(
            label=label,
            max_length=PASSWORD_LENGTH,
            strip=False,
            help_text=help_text,
            widget=forms.PasswordInput({"autocomplete": autocomplete}),
        )


class EmailField(forms.EmailField):
    def __init__(self, *, help_text: Any = "") -> None:
        super().__init__(
            label=gettext_lazy("E-mail address"),
            required=False,
            max_length=EmailAddress.LONGEST,
            help_text=help_text,
            widget=forms.EmailInput(
                {"autocomplete": "email", "autocapitalize": "none", "spellcheck": "false"}
            ),
        )


class PlainForm(forms.Form):
    """A form whose labels have no colon."""

    def __init__(self, data: QueryDict | None = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial, label_suffix="")


class NewPassword(PlainForm):
    """A sign-in name with a new password, written twice."""

    sign_in_name = SignInNameField()
    password = PasswordField(
        gettext_lazy("New password"),
        autocomplete="new-password",
        help_text=gettext_lazy("At least 8 characters. Length matters more than unusual characters."),
    )
    again = PasswordField(gettext_lazy("New password again"), autocomplete="new-password")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        password = cleaned.get("password")
        if password and cleaned.get("again") and cleaned["again"] != password:
            self.add_error("again", _("The two passwords differ."))
        if password:
            self._judge(password, about=self._about(cleaned))
        return cleaned

    def _about(self, cleaned: dict[str, Any]) -> Worker:
        return Worker(name=cleaned.get("name", ""), sign_in_name=cleaned.get("sign_in_name", ""))

    def _judge(self, password: str, *, about: Worker) -> None:
        """Apply the site's rules. They know Django's users, so likeness to a worker is checked apart."""
        try:
            validate_password(password)
            NOT_LIKE_THE_NAME.validate(password, cast(Any, about))
        except ValidationError as error:
            self.add_error("password", error)


class ChangedPassword(NewPassword):
    """A new password, with the present one if there is one."""

    present = PasswordField(gettext_lazy("Present password"), autocomplete="current-password")
    field_order = ("present", "sign_in_name", "password", "again")

    def __init__(self, data: QueryDict | None = None, *, worker: Worker) -> None:
        super().__init__(data, initial={"sign_in_name": worker.sign_in_name})
        self.worker = worker
        if not worker.password:
            del self.fields["present"]

    def _about(self, cleaned: dict[str, Any]) -> Worker:
        return Worker(name=self.worker.name, sign_in_name=cleaned.get("sign_in_name", ""))


class MyEmail(PlainForm):
    """An e-mail address, which opens the way to a new password: so the present one is asked for."""

    email = EmailField(help_text=gettext_lazy("Empty the field to delete the address."))
    proof = PasswordField(gettext_lazy("Present password"), autocomplete="current-password")

    def __init__(self, data: QueryDict | None = None, *, worker: Worker, address: str) -> None:
        super().__init__(data, initial={"email": address})
        if not worker.password:
            del self.fields["proof"]


class Registration(NewPassword):
    """A new account. Where e-mails are sent, an address may be given at once."""

    name = NameField()
    email = EmailField(
        help_text=gettext_lazy("Optional. With it you can choose a new password if you forget yours.")
    )
    field_order = ("name", "email", "sign_in_name", "password", "again")

    def __init__(self, data: QueryDict | None = None, *, has_emails: bool, waits: bool) -> None:
        super().__init__(data)
        if not has_emails:
            del self.fields["email"]
        elif waits:
            self.fields["email"].help_text = _(
                "Optional. With it you are told when you can begin, "
                "and can choose a new password if you forget yours."
            )


class AboutMe(PlainForm):
    """A worker's own facts. The country can be set only once."""

    name = NameField()
    country = forms.ChoiceField(
        label=gettext_lazy("Country you live in"),
        required=False,
        help_text=gettext_lazy(
            "Some work is for certain countries only. You can set your country only once."
        ),
    )
    subdivision = forms.CharField(
        label=gettext_lazy("State or province"),
        required=False,
        validators=[SUBDIVISION],
        help_text=gettext_lazy("Its short code, such as PA for Pennsylvania. Optional."),
    )
    is_adult = forms.BooleanField(
        label=gettext_lazy("I am an adult, and may be shown work for adults"), required=False
    )

    def __init__(self, data: QueryDict | None = None, *, worker: Worker) -> None:
        super().__init__(data, initial={"name": worker.name, "is_adult": worker.is_adult})
        if worker.country:
            del self.fields["country"], self.fields["subdivision"]
        else:
            names = [("", _("Not chosen yet")), *countries.countries_by_name()]
            self.fields["country"].choices = names  # type: ignore[attr-defined]

    def clean_subdivision(self) -> str:
        return str(self.cleaned_data["subdivision"]).upper()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("subdivision") and not cleaned.get("country"):
            self.add_error("country", _("Choose the country as well."))
        return cleaned


class Report(PlainForm):
    """What is wrong with a HIT, for those who run the marketplace."""

    kind = forms.ChoiceField(
        label=gettext_lazy("What is wrong?"),
        choices=[("", gettext_lazy("Choose one")), *Complaint.Kind.choices],
    )
    text = forms.CharField(
        label=gettext_lazy("In your own words"),
        max_length=Complaint.LONGEST,
        help_text=gettext_lazy("What happened, and when. Those who read it see your name and your work."),
        widget=forms.Textarea({"rows": 6}),
    )
