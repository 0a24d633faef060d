"""The questions about the person in words, for workers and for readers of the counts."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

# Translated when they are shown.
Words = Mapping[str, Any]
DECLINED = _("I’d rather not say")
QUESTIONS: Words = {
    "age": _("How old are you?"),
    "gender": _("What is your gender?"),
    "education": _("What is the highest level of education you have completed?"),
    "native_english": _("Is English your native language?"),
}
CHOICES: Mapping[str, Words] = {
    "gender": {
        "woman": _("Woman"),
        "man": _("Man"),
        "nonbinary": _("Non-binary"),
        "other": _("Something else"),
    },
    "education": {
        "less_than_school": _("Less than high school"),
        "school": _("High school"),
        "some_college": _("Some college or vocational training"),
        "bachelor": _("Bachelor’s degree"),
        "master": _("Master’s degree"),
        "doctorate": _("Doctorate"),
        "other": _("Something else"),
    },
    "native_english": {"yes": _("Yes"), "no": _("No")},
}
