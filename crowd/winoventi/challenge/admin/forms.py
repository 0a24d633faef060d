"""The forms of the challenge set: which file of it, and which model is asked about it."""

from typing import Any

from django import forms

from crowd.winoventi.challenge.exporting.winoventi_export import FILES
from crowd.winoventi.models import PieceScoring
from hits.admin.data.take_files import TakeForm
from scoring.models import RegisteredRival

WHAT = {
    "published": FILES["published"].words,
    "full": FILES["full"].words,
    "splits": "Splits for training and testing, as a ZIP file",
}


class DataForm(TakeForm):
    """The part of the challenge set to download, and the kind of file."""

    seed = forms.IntegerField(
        label="Seed of the splits",
        required=False,
        initial=0,
        min_value=0,
        max_value=2**31,
        help_text="The same seed splits the same pairs in the same way.",
    )

    def __init__(self, data: Any, *, everything: str) -> None:
        super().__init__(data, what=WHAT, everything=everything, kinds=("tsv", "csv", "jsonl", "parquet"))
        self.fields["everything"].help_text = "Splits never have them."

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("what") == "full" and values.get("form") == "tsv":
            self.add_error("form", "The full form has rows within rows: take CSV, JSON Lines or Parquet.")
        return values


class AskModelForm(forms.Form):
    """Choice of any registered masked model, to ask on the challenge set or beside the project's own."""

    rival = forms.ModelChoiceField(
        label="Model", queryset=RegisteredRival.objects.filter(kind=RegisteredRival.Kind.MASKED)
    )
    way = forms.ChoiceField(label="A word of several pieces is scored", choices=PieceScoring.choices)
