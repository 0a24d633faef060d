"""Forms of benchmarks: a model to ask or to train, a file of answers, two rows to compare."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest

from crowd.benchmarks.benchmark_tasks import BenchmarkTask
from crowd.benchmarks.models import Result
from crowd.benchmarks.services.answer_files import MOST_BYTES
from crowd.benchmarks.services.benchmark_results import captioners_for, models_for
from crowd.benchmarks.services.learned_match import USUAL, matchers
from crowd.benchmarks.services.training_jobs import MOST_SEEDS, models_to_train
from crowd.benchmarks.training_recipes import Setting, TrainingRecipe
from hits.admin.data.result_forms import WIDE, ResultsForm
from scoring.models import RegisteredRival
from scoring.models.model_facts import FACTS


class AnswersForm(ResultsForm):
    most_bytes = MOST_BYTES
    is_part = forms.BooleanField(
        label="It covers only a part of the release",
        required=False,
        help_text="Then the table says how much. Otherwise a file that lacks an item is refused.",
    )
    field_order = ("name", "about", *FACTS, "file", "is_part")

    def __init__(self, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(request, **kwargs)
        self.fields.update(forms.fields_for_model(Result, fields=FACTS))
        self.order_fields(self.field_order)


class AskForm(forms.Form):
    rival = forms.ModelChoiceField(queryset=Result.objects.none(), label="Model", empty_label=None)
    about = forms.CharField(
        label="About it",
        required=False,
        max_length=500,
        widget=forms.TextInput(WIDE),
        help_text="For colleagues. Weights, preprocessing and device are kept with the answers.",
    )

    def __init__(self, request: HttpRequest, *, task: BenchmarkTask, **kwargs: Any) -> None:
        super().__init__(request.POST or None, **kwargs)
        field: Any = self.fields["rival"]
        field.queryset = models_for(task)
        field.label_from_instance = partial(_say_what_for, task)
        if task.takes_captions:
            self.fields["captioner"] = forms.ModelChoiceField(
                queryset=captioners_for(task),
                label="Captions said by",
                required=False,
                empty_label="nobody: the captions of the release",
                help_text="For a sentence model alone. It reads what this model says of each picture.",
            )


def _say_what_for(task: BenchmarkTask, rival: RegisteredRival) -> str:
    read = [one.name.lower() for one in task.relations if one.is_read_by(rival)]
    return f"{rival.name} ({rival.get_kind_display()}{', for: ' + ', '.join(read) if read else ''})"


class MatchForm(forms.Form):
    matcher = forms.ModelChoiceField(queryset=Result.objects.none(), label="Model", empty_label=None)
    matches_from = forms.FloatField(
        label="Smallest cosine that is a match",
        initial=USUAL,
        min_value=-1,
        max_value=1,
        help_text="Look at some answers first: each model has a scale of its own.",
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.POST or None)
        field: Any = self.fields["matcher"]
        field.queryset = matchers()


class CompareForm(forms.Form):
    """Two results, sent by GET so that a comparison has an address."""

    one = forms.ModelChoiceField(queryset=Result.objects.none(), label="Compare", empty_label=None)
    other = forms.ModelChoiceField(queryset=Result.objects.none(), label="with", empty_label=None)

    def __init__(self, request: HttpRequest, *, results: Sequence[Result]) -> None:
        asked = {"one", "other"} <= set(request.GET)
        super().__init__(request.GET if asked else None)
        for name in ("one", "other"):
            field: Any = self.fields[name]
            field.queryset = Result.objects.filter(pk__in=[result.pk for result in results])
        for name, result in zip(("one", "other"), results, strict=False):
            self.fields[name].initial = result.pk


class TrainForm(forms.Form):
    """A model to begin with, and the numbers of a recipe, by default those that it names."""

    rival = forms.ModelChoiceField(queryset=Result.objects.none(), label="Model", empty_label=None)
    seeds = forms.IntegerField(
        label="Runs",
        min_value=1,
        max_value=MOST_SEEDS,
        help_text="Each with a seed of its own. The table has their mean and standard deviation.",
    )

    def __init__(self, request: HttpRequest, *, recipe: TrainingRecipe, **kwargs: Any) -> None:
        super().__init__(request.POST or None, **kwargs)
        self.recipe = recipe
        field: Any = self.fields["rival"]
        field.queryset = models_to_train(recipe)
        field.label_from_instance = lambda rival: f"{rival.name} ({rival.get_kind_display()})"
        self.fields["seeds"].initial = recipe.seeds
        for setting in recipe.settings:
            self.fields[setting.key] = _field_of(setting)
        self.fields["about"] = forms.CharField(
            label="About it", required=False, max_length=500, widget=forms.TextInput(WIDE),
            help_text="For colleagues.",
        )  # fmt: skip

    @property
    def chosen(self) -> dict[str, Any]:
        """Return what was typed, as the service takes it."""
        values = dict(self.cleaned_data)
        settings = {setting.key: values.pop(setting.key) for setting in self.recipe.settings}
        return {**values, "settings": settings}


def _field_of(setting: Setting) -> forms.Field:
    of: Any = forms.IntegerField if setting.is_whole else forms.FloatField
    field: forms.Field = of(
        label=setting.label,
        help_text=setting.help,
        initial=setting.default,
        min_value=setting.least,
        max_value=setting.most,
    )
    return field
