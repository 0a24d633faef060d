"""The form for a model's predictions."""

from django import forms

from crowd.winogavil.releases.services.prediction_scores import MOST_BYTES
from hits.admin.data.result_forms import ResultsForm


class PredictionForm(ResultsForm):
    most_bytes = MOST_BYTES
    is_part = forms.BooleanField(
        label="It covers only a part of the release",
        required=False,
        help_text="Then the table says how much. Otherwise a file that lacks an association is refused.",
    )
