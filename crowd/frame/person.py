"""Four questions about the person, each of which may be left unanswered."""

from django import forms
from django.utils.translation import gettext_lazy as _

from qualifications.domain import about_people
from qualifications.personal_questions import CHOICES, DECLINED, QUESTIONS

NOT_AN_AGE = _("Please give your age in years, as a number, or leave it empty.")


def _ask(question: str) -> forms.ChoiceField:
    choices = [("", DECLINED), *((key, CHOICES[question][key]) for key in about_people.CHOICES[question])]
    return forms.ChoiceField(label=QUESTIONS[question], choices=choices, required=False)


class PersonForm(forms.Form):
    # No lower bound in the page: a minor is told why they may not work, not how to get past it.
    age = forms.IntegerField(
        label=QUESTIONS["age"],
        required=False,
        min_value=1,
        max_value=about_people.OLDEST,
        help_text=_("In years. Leave it empty if you would rather not say."),
        error_messages={"invalid": NOT_AN_AGE, "min_value": NOT_AN_AGE, "max_value": NOT_AN_AGE},
    )
    gender = _ask("gender")
    education = _ask("education")
    native_english = _ask("native_english")

    def __init__(self, data: object = None) -> None:
        super().__init__(data, label_suffix="")  # type: ignore[arg-type]

    @property
    def is_minor(self) -> bool:
        age = self.cleaned_data["age"]
        return age is not None and age < about_people.ADULT

    @property
    def answers(self) -> dict[str, int | str]:
        """The given answers; declined questions are left out."""
        return {name: said for name, said in self.cleaned_data.items() if said not in (None, "")}
