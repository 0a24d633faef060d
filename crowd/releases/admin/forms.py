"""The form of a release: whose data, which pictures, which splits, and notes for readers."""

from typing import Any, cast

from django import forms
from django.db.models import Count

from crowd.releases.family_contents import ReleaseContents
from crowd.releases.licences import lets_pass_on
from crowd.releases.models import Release
from hits.studies.models import Study

UNNAMED = "no license stated"


class ReleaseForm(forms.ModelForm[Release]):
    """Form of a release. A family's own fields are there where the family has them."""

    sources = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    picture_licences = forms.MultipleChoiceField(
        label="Licenses of the pictures to be contained",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Pictures under these licenses are part of the release; the others are listed, with why. "
        "Licenses that are known to let anybody pass a picture on are ticked. The rest is your decision.",
    )

    class Meta:
        model = Release
        fields = (
            "title",
            "version",
            "licence",
            "notes",
            "sources",
            "selection_threshold",
            "with_rest",
            "picture_licences",
            "split_seed",
            "hides_test",
            "linkable",
        )
        widgets = {"notes": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, data: Any, *, study: Study, contents: ReleaseContents) -> None:
        unsaved = Release(study=study, family=contents.family)
        contents.complete(unsaved)
        first = {
            "title": study.name,
            "selection_threshold": unsaved.selection_threshold,
            "sources": list(contents.first_sources),
        }
        super().__init__(data, initial=first, label_suffix="")
        self.fields["licence"].label = "License"
        self.fields["with_rest"].label = contents.rest_label
        self.fields["linkable"].label = "Use the same pseudonyms as in other releases with this option"
        self.fields[
            "linkable"
        ].help_text = "Off: nobody can follow a person by the pseudonym from release to release."
        self.fields["split_seed"].label = "Seed of the splits"
        self.fields[
            "split_seed"
        ].help_text = (
            "Any whole number; the same number makes the same splits. Empty: the files have no splits."
        )
        self.fields["hides_test"].label = "Keep the labels of the test split here"
        self._choose_sources(contents)
        self._choose_licences(study, contents)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("hides_test") and cleaned.get("split_seed") is None:
            self.add_error("split_seed", "Give a seed: without splits there is no test split.")
        return cleaned

    def _choose_sources(self, contents: ReleaseContents) -> None:
        if contents.sources:
            field = cast(forms.MultipleChoiceField, self.fields["sources"])
            field.label, field.choices = f"Whose {contents.items}", contents.sources
            field.help_text = contents.sources_help
        else:
            del self.fields["sources"]
        if contents.has_threshold:
            self.fields["selection_threshold"].required = True
        else:
            del self.fields["selection_threshold"]

    def _choose_licences(self, study: Study, contents: ReleaseContents) -> None:
        counted = contents.pictures_in(study).order_by().values("licence").annotate(pictures=Count("pk"))
        found = {one["licence"]: one["pictures"] for one in counted}
        field = cast(forms.MultipleChoiceField, self.fields["picture_licences"])
        if not found:
            del self.fields["picture_licences"]
            return
        field.choices = [(name, f"{name or UNNAMED} ({found[name]})") for name in sorted(found)]
        field.initial = [name for name in sorted(found) if lets_pass_on(name)]
