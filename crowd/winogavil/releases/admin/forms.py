"""What a person fills in: for a release, and for a model's predictions."""

from typing import Any

from django import forms

from crowd.winogavil.models import Association
from crowd.winogavil.queries import BY_CHOICE
from crowd.winogavil.releases.models import Release
from crowd.winogavil.releases.services.prediction_scores import MOST_BYTES
from hits.admin.data.result_forms import ResultsForm
from hits.studies.models import Study

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


class PredictionForm(ResultsForm):
    most_bytes = MOST_BYTES
    is_part = forms.BooleanField(
        label="It covers only a part of the release",
        required=False,
        help_text="Then the table says how much. Otherwise a file that lacks an association is refused.",
    )
