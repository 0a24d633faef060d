"""The forms of the steps: where generics are cut, and how many rows go on."""

from typing import Any

from django import forms

from crowd.winoventi.challenge.exporting.winoventi_export import FILES
from crowd.winoventi.models import PieceScoring, Project
from hits.admin.data.take_files import TakeForm
from scoring.models import RegisteredRival

WHAT = {
    "published": FILES["published"].words,
    "full": FILES["full"].words,
    "splits": "Splits for training and testing, as a ZIP file",
}


class CutForm(forms.Form):
    """Where the generics are cut, one value for each k."""

    cut_by = forms.ChoiceField(
        label="Cut", choices=Project.CutBy.choices, widget=forms.RadioSelect(attrs={"class": "plain"})
    )
    most_posted = forms.IntegerField(
        label="Pairs that are posted, at most",
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text="If more are left, they are cut once more, at the bend of all of them. Empty: no limit.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ks = list(project.ks)
        self.initial = {"cut_by": project.cut_by, "most_posted": project.most_posted}
        for k in self.ks:
            self.fields[f"cut_{k}"] = forms.FloatField(
                label=f"k = {k}: perplexity below",
                required=False,
                min_value=0,
                initial=project.cuts.get(str(k)),
                help_text="Counts if you cut at values of your own. Empty: this k is not cut.",
            )

    def values(self) -> dict[str, Any]:
        cuts = {str(k): self.cleaned_data[f"cut_{k}"] for k in self.ks}
        known = {k: cut for k, cut in cuts.items() if cut is not None}
        rules = {name: self.cleaned_data[name] for name in ("cut_by", "most_posted")}
        return {**rules, "cuts": known} if rules["cut_by"] == Project.CutBy.HAND else rules


class AdvanceForm(forms.Form):
    most = forms.IntegerField(
        label="How many",
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text="The first of them. Empty: all that wait.",
    )


class DataForm(TakeForm):
    """What of the challenge set, and as which file."""

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
        self.fields["everything"].help_text = "Not in splits."

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("what") == "full" and values.get("form") == "tsv":
            self.add_error("form", "The full form has rows within rows: take CSV, JSON Lines or Parquet.")
        return values


class AskModelForm(forms.Form):
    """Any registered masked model: on the challenge set, or beside the project's own."""

    rival = forms.ModelChoiceField(
        label="Model", queryset=RegisteredRival.objects.filter(kind=RegisteredRival.Kind.MASKED)
    )
    way = forms.ChoiceField(label="A word of several pieces is scored", choices=PieceScoring.choices)
