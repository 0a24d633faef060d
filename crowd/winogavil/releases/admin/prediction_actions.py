"""The action on a model's predictions: they can be deleted."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from crowd.releases.admin.permitted_rows import find_release
from crowd.releases.admin.release_actions import beside, page_of
from crowd.winogavil.releases.admin.data_permissions import UNPREDICT
from crowd.winogavil.releases.models import Prediction
from crowd.winogavil.releases.services import prediction_scores
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages


def find_prediction(request: HttpRequest, pk: int, prediction_id: int) -> Sequence[Prediction]:
    rows = Prediction.objects.select_related("release__study", "made_by")
    return [get_object_or_404(rows, pk=prediction_id, release=find_release(request, pk))]


def _ask_about_prediction(call: Call[Prediction]) -> Confirm:
    one = call.row
    text = "You delete the predictions of {} on {}: {count} of them, uploaded by {by}. This cannot be undone."
    return Confirm(text=emphasize(text, one.model, one.release, count=one.rows, by=one.made_by))


def _delete_prediction(call: Call[Prediction]) -> Outcome:
    prediction_scores.delete_prediction(prediction=call.row, by=call.by, now=call.now)
    return Outcome(said=f"The predictions of {call.row.model} are deleted.")


PREDICTIONS = ActionPages(
    actions={
        "delete": Action(
            label="Delete",
            permissions=[UNPREDICT],
            confirm=_ask_about_prediction,
            is_grave=True,
            run=_delete_prediction,
        )
    },
    find=find_prediction,
    back=lambda predictions: page_of(predictions[0].release),
    shared=lambda predictions: beside(predictions[0].release),
)
