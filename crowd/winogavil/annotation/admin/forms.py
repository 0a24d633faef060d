"""Form in which a researcher chooses what to have annotated."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator

from crowd.winogavil import domain as game
from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.annotation.services.annotation_draw import Most, Recipe
from crowd.winogavil.models import Association

LARGEST = 2**31 - 1
# Recordings are left out: they name their pictures and do not have them, so nobody can be shown one.
SOURCES = [
    (source.value, source.label) for source in Association.Source if source != Association.Source.RECORDED
]


class DrawForm(forms.Form):
    kind = forms.ChoiceField(label="What is asked", choices=Kind.choices, widget=forms.RadioSelect)
    most = forms.ChoiceField(label="How many", choices=Most.choices, widget=forms.RadioSelect)
    number = forms.IntegerField(
        label="Number or per cent",
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST)],
        help_text="Ignored if all are chosen.",
    )
    sizes = forms.TypedMultipleChoiceField(
        label="Only associations with this many pictures",
        choices=[(size, str(size)) for size in game.SIZES],
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Check none for any number of pictures.",
    )
    sources = forms.MultipleChoiceField(
        label="Only associations that come from", choices=SOURCES, widget=forms.CheckboxSelectMultiple
    )
    seed = forms.IntegerField(
        validators=[MinValueValidator(0), MaxValueValidator(LARGEST)],
        help_text="The same seed over the same associations draws the same ones.",
    )

    def __init__(self, data: Any, *, kind: Kind) -> None:
        super().__init__(data, label_suffix="", initial=_first_choice(kind))

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        most, number = values.get("most"), values.get("number")
        if most in (Most.COUNT, Most.PER_CENT) and number is None and "number" not in self.errors:
            self.add_error("number", ValidationError("Say how many."))
        if most == Most.PER_CENT and number is not None and number > 100:
            self.add_error("number", ValidationError("A percentage is 100 at most."))
        return values


def recipe_of(values: Mapping[str, Any]) -> Recipe:
    """Recipe made of the values of a valid form."""
    return Recipe(
        kind=Kind(values["kind"]),
        most=Most(values["most"]),
        number=0 if values["most"] == Most.ALL else values["number"],
        sizes=tuple(sorted(values["sizes"])),
        sources=tuple(sorted(values["sources"])),
        seed=values["seed"],
    )


def _first_choice(kind: Kind) -> dict[str, Any]:
    """Initial values of the form: a tenth of the associations for newcomers, all of them for labels."""
    is_baseline = kind == Kind.BASELINE
    return {
        "kind": kind,
        "most": Most.PER_CENT if is_baseline else Most.ALL,
        "number": domain.PER_CENT if is_baseline else None,
        "sources": [Association.Source.FILE, Association.Source.WORKER],
        "seed": 1,
    }
