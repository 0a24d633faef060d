"""What a person fills in: for a release, and for a model's predictions."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from crowd.winogavil.models import Association
from crowd.winogavil.queries import BY_CHOICE
from crowd.winogavil.releases.models import Prediction, Release
from crowd.winogavil.releases.services.predicting import MOST_BYTES
from hits.models import Study

PLAYERS = (
    "Players agreed to the use of their data when they registered. Releasing them is your choice, and so are "
    "words that people made to qualify."
)


class ReleaseForm(forms.ModelForm[Release]):
    """Whose data, under which name, with what for people to read."""

    sources = forms.MultipleChoiceField(
        label="Whose associations",
        choices=Association.Source.choices,
        initial=[source for source in Association.Source.values if source not in BY_CHOICE],
        widget=forms.CheckboxSelectMultiple,
        help_text=PLAYERS,
    )

    class Meta:
        model = Release
        fields = ("title", "version", "licence", "notes", "sources", "with_rest", "linkable")
        widgets = {"notes": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, data: Any, *, study: Study) -> None:
        super().__init__(data, initial={"title": study.name}, label_suffix="")
        self.fields["with_rest"].label = "Also what people did not solve, in the full form"
        self.fields["linkable"].label = "The same pseudonyms as in the study's other releases that say so"
        self.fields[
            "linkable"
        ].help_text = "Off: nobody can follow a person by the pseudonym from release to release."


class PredictionForm(forms.ModelForm[Prediction]):
    file = forms.FileField(label="File")
    is_part = forms.BooleanField(
        label="It covers only a part of the release",
        required=False,
        help_text="Then the table says how much. Otherwise a file that lacks an association is refused.",
    )

    class Meta:
        model = Prediction
        fields = ("model", "notes")

    def __init__(self, data: Any, files: Any) -> None:
        super().__init__(data, files, label_suffix="")

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise ValidationError(f"The file has more than {MOST_BYTES // 1024 // 1024} MB.")
        return file
