"""Forms for what players write, which refuse it in plain words."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.pictures.profanity import is_profane
from crowd.winogavil.play import domain
from crowd.winogavil.play.models.surveys import LONGEST

LONGEST_PASSWORD = 256


class PlainForm(forms.Form):
    """A form with labels as they are, without a colon."""

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="")


class Registration(PlainForm):
    """Registration form; `version` is the text that was read, and the server insists on the agreement."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy(
            "2 to 20 characters. Other players see it on the leaderboards, so it should not be your own."
        ),
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=LONGEST_PASSWORD,
        strip=False,
        help_text=gettext_lazy(
            "At least 8 characters. Keep it well: we know no address of yours to send another one to."
        ),
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )
    version = forms.IntegerField()
    agreed = forms.BooleanField(
        label=gettext_lazy("I have read this, and I agree"),
        error_messages={"required": gettext_lazy("Without your agreement you cannot take part.")},
    )

    def clean_name(self) -> str:
        return read_name(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        password, name = cleaned.get("password", ""), cleaned.get("name", "")
        if password:
            try:
                validate_password(password)
            except ValidationError as error:
                self.add_error("password", error)
        if password and name and domain.name_key(name) in domain.name_key(password):
            self.add_error("password", _("Leave your name out of the password."))
        return cleaned


class Agreement(PlainForm):
    version = forms.IntegerField()
    agreed = forms.BooleanField(
        label=gettext_lazy("I have read this, and I agree"),
        error_messages={"required": gettext_lazy("Without your agreement you cannot go on playing.")},
    )


class Exit(PlainForm):
    """The exit survey: nine scales from 1 to 5, and four questions that may stay without an answer."""

    SCALE = [(str(number), str(number)) for number in range(1, 6)]
    SKILLS = {
        "visual": gettext_lazy("Looking closely and reasoning about what is seen"),
        "knowledge": gettext_lazy("General knowledge"),
        "associating": gettext_lazy("Associating one thing with another"),
        "commonsense": gettext_lazy("Common sense"),
        "abstraction": gettext_lazy("Abstract thinking"),
        "divergent": gettext_lazy("Finding unusual ideas"),
    }
    OPINIONS = {
        "interest": gettext_lazy("Would you play this again, and tell friends about it?"),
        "enjoyment": gettext_lazy("How much did you enjoy it?"),
        "clarity": gettext_lazy("How clear were the pages?"),
    }
    QUESTIONS = {
        "liked": gettext_lazy("What did you like, and what not?"),
        "other_skills": gettext_lazy("Which other skills did it take?"),
        "model_effect": gettext_lazy(
            "Did seeing the model's picks, or the leaderboards, change how you played? How?"
        ),
        "anything": gettext_lazy("Is there anything else you would like to say?"),
    }

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        for name, label in {**self.SKILLS, **self.OPINIONS}.items():
            self.fields[name] = forms.TypedChoiceField(
                label=label, choices=self.SCALE, coerce=int, widget=forms.RadioSelect
            )
        for name, label in self.QUESTIONS.items():
            self.fields[name] = forms.CharField(
                label=label, required=False, max_length=LONGEST, widget=forms.Textarea({"rows": 3})
            )

    @property
    def skills(self) -> list[forms.BoundField]:
        return [self[name] for name in self.SKILLS]

    @property
    def opinions(self) -> list[forms.BoundField]:
        return [self[name] for name in self.OPINIONS]

    @property
    def questions(self) -> list[forms.BoundField]:
        return [self[name] for name in self.QUESTIONS]


def read_name(text: str) -> str:
    """The name as other players will see it. Raises ValidationError if it may not be used."""
    try:
        name = domain.read_name(text)
    except ValueError:
        raise ValidationError(
            _("A name has %(least)d to %(most)d characters, with letters or digits among them.")
            % {"least": domain.SHORTEST_NAME, "most": domain.LONGEST_NAME}
        ) from None
    if is_profane(name):
        raise ValidationError(_("Please choose a name that everybody likes to read."))
    return name
