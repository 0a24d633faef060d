"""Forms that set up a project: its rules, its nouns, its steps."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction

from crowd.winoventi.domain import LARGEST_K
from crowd.winoventi.models import Project, Step
from crowd.winoventi.procedure.services.project_rules import change_rules
from crowd.winoventi.procedure.services.projects import add_nouns, check_nouns, open_project, read_nouns
from hits.admin.page_parts import Row
from hits.common.uploads.file_problems import Problems
from hits.core.domain.typed_text import is_whole
from hits.studies.models import Batch
from scoring.models import RegisteredRival

Kind = RegisteredRival.Kind
MOST_BYTES = 5_000_000
MOST_BATCHES = 100
MOST_OF_ONE = " In the paper's data one person answered 943 of 1,990 pairs."
MODELS = {
    "generics_model": Kind.MASKED,
    "perplexity_model": Kind.CAUSAL,
    "filter_model": Kind.MASKED,
    "tagger": Kind.TAGGER,
}
RULES = (
    "generics_model", "perplexity_model", "filter_model", "tagger", "ks", "stop_list", "way",
    "answers_wanted", "fails_by", "fails_at", "judges", "people", "choices_wanted",
)  # fmt: skip
HELP = {
    "generics_model": "Step 1: a masked language model; its associations are posted. The paper: BERT large.",
    "perplexity_model": "Ranks the statements of step 1; a causal model. None: they keep the order of the "
    "nouns, and nothing is cut.",
    "filter_model": "Step 3: an exception passes where this model finds the generic strictly likelier.",
    "tagger": "Tells the part of speech of the special words, by itself, once a pair is valid. The paper: "
    "spaCy. None: they are not counted. An operator registers one by the command fetch_rival.",
    "way": "The authors looked such a word up as a single token, and so compared an unknown one. "
    "Choose that only to compare with their numbers.",
    "stop_list": "One word a line. These words are never posted; a change counts from the next cut on.",
    "answers_wanted": "The paper: 3.",
    "fails_by": "The paper's words: workers who object to anything. The recorded data: yes to one question.",
    "fails_at": "The paper: 2.",
    "judges": "The author of the sentence knows what is meant by it.",
    "people": "The paper kept nobody away from a further step: 100 qualified people wrote, and anybody could "
    "validate. A change counts for who enters from now on; work that is open goes on.",
    "choices_wanted": "The recorded data: 1 for each of the two prompts.",
}


class RulesForm(forms.ModelForm[Project]):
    """The rules of a project, with the paper's as the start."""

    ks = forms.CharField(
        label="k",
        help_text="How many of the model's first words are looked at, in steps. The paper: 1, 3, 5, 8.",
    )

    class Meta:
        model = Project
        fields = RULES
        widgets = {"stop_list": forms.Textarea(attrs={"rows": 3})}
        help_texts = HELP

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["ks"] = ", ".join(map(str, self.instance.ks))
        rivals = list(RegisteredRival.objects.filter(kind__in=set(MODELS.values())))
        for name, kind in MODELS.items():
            offer_rows(self.fields[name], [rival for rival in rivals if rival.kind == kind])
        if self.instance.pk and self.instance.generics.exists():
            for name in ("generics_model", "ks"):
                self.fields[name].disabled = True
                self.fields[name].help_text = "Fixed: generics have been found by it."

    def clean_ks(self) -> list[int]:
        text = self.cleaned_data["ks"].replace(",", " ").split()
        if not all(is_whole(part, most=LARGEST_K) for part in text):
            raise ValidationError(f"Whole numbers from 1 to {LARGEST_K}, with commas between them.")
        return sorted({int(part) for part in text})

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("fails_at", 0) > values.get("answers_wanted", 0):
            self.add_error("fails_at", "No pair could fail: there are not so many workers.")
        return values


class NounsForm(forms.Form):
    words = forms.CharField(
        label="Nouns",
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text="One noun a line. A homonym may be listed several times: each line is a row of its own.",
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        help_text="Text with a noun on each line, or CSV: its first column, or the one that is called noun.",
    )

    # Whether at least one noun is required.
    is_needed: ClassVar[bool] = True

    def clean_words(self) -> list[str]:
        lines = self.cleaned_data["words"].splitlines()
        return check_nouns(lines, problems=Problems(ValidationError))

    def clean_file(self) -> list[str]:
        file = self.cleaned_data["file"]
        return read_nouns(check_size(file), problems=Problems(ValidationError)) if file else []

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            values["nouns"] = [*values["words"], *values["file"]]
            if self.is_needed and not values["nouns"]:
                self.add_error("words", "Paste some nouns, or choose a file.")
        return values


class SetUpForm(NounsForm, RulesForm):
    """The form that opens a procedure with its first nouns."""

    is_needed = False

    def save(self, commit: bool = True) -> Project:
        """Open the project and add its nouns in one transaction: both or neither."""
        rules = {name: self.cleaned_data[name] for name in RULES}
        with transaction.atomic():
            project = open_project(study=self.instance.study, **rules)
            add_nouns(project=project, words=self.cleaned_data["nouns"])
        return project


class SettingsForm(RulesForm):
    """The rules, and for each step that workers do the limit of one worker and the batch that grows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        steps = {step.kind: step for step in self.instance.steps.all()}
        self.steps = [steps[kind] for kind in Step.TASKS]
        batches = Batch.objects.filter(study=self.instance.study_id, task__in=Step.TASKS.values())
        newest = list(batches.select_related("study").order_by("-pk")[:MOST_BATCHES])
        for step in self.steps:
            self._add_step(step, [batch for batch in newest if batch.task == step.task])

    def _add_step(self, step: Step, batches: Sequence[Batch]) -> None:
        name = step.get_kind_display()
        self.fields[f"{step.kind}_most"] = forms.IntegerField(
            label=f"{name}: answers of one worker, at most",
            required=False,
            min_value=1,
            max_value=1_000_000,
            initial=step.most_per_worker,
            help_text=f"Empty: no limit.{MOST_OF_ONE if step.kind == Step.Kind.EXCEPTIONS else ''}",
        )
        field = forms.ModelChoiceField(
            label=f"{name}: batch that grows",
            queryset=Batch.objects.filter(study=self.instance.study_id, task=step.task),
            required=False,
            initial=step.batch_id,
            help_text="While the step goes on by itself, this batch gets HITs within the study's budget.",
        )
        offer_rows(field, batches)
        self.fields[f"{step.kind}_batch"] = field

    def save(self, commit: bool = True) -> Project:
        rules = {name: self.cleaned_data[name] for name in self.changed_data if name in RULES}
        with transaction.atomic():
            project = change_rules(project=self.instance, **rules)
            for step in self.steps:
                most, batch = self.cleaned_data[f"{step.kind}_most"], self.cleaned_data[f"{step.kind}_batch"]
                Step.objects.filter(pk=step.pk).update(most_per_worker=most, batch=batch)
        return project


def check_size(file: Any) -> Any:
    if file.size > MOST_BYTES:
        raise ValidationError(f"A file has at most {MOST_BYTES // 1_000_000} MB.")
    return file


def offer_rows(field: Any, rows: Sequence[Row]) -> None:
    """Offer exactly these rows, read once for several fields; the choice is looked up among them, too."""
    field.choices = [("", "–––"), *((row.pk, str(row)) for row in rows)]
    field.queryset = field.queryset.filter(pk__in=[row.pk for row in rows])
