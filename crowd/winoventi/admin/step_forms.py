"""The forms of the steps: where generics are cut, and how many rows go on."""

from typing import Any

from django import forms

from crowd.winoventi.models import Project


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
