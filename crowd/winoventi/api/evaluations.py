"""Models on the challenge set: registered ones are asked, others come as a file of their answers."""

from django.db.models import QuerySet

from crowd.winoventi.api.filters import EvaluationFilters, ModelAnswerFilters
from crowd.winoventi.challenge.admin.evaluations import ASK_MODEL, DROP_MODEL
from crowd.winoventi.challenge.services.uploaded_answers import ANSWERS
from crowd.winoventi.models import Evaluation, ModelAnswer
from hits.api.admin_forms.result_uploads import ResultUploads
from hits.api.listings import JSON, Listing
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, TEXT, column, user_column

LOOK = "winoventi.view_project"


class EvaluationViewSet(ResultUploads, Listing):
    """The models that answer the challenge set, and how far each is."""

    queryset: QuerySet[Evaluation] = Evaluation.objects.select_related("project__study", "rival", "added_by")
    permissions = (LOOK,)
    study_path = "project__study"
    number = True
    filters = EvaluationFilters
    results = ANSWERS
    add, drop = ASK_MODEL, DROP_MODEL
    replaced = {"rival": None}
    admin_pages = {"winoventi_upload_model": "upload", "winoventi_replace_model": "replace"}
    columns = (
        column("number", INTEGER, "the number of the evaluation on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("name", TEXT, "the model"),
        column(
            "rival", TEXT, "the registered model; null: uploaded", of=lambda row: row.rival and row.rival.name
        ),
        column("way", TEXT, "how a word of several pieces is scored"),
        column("is_open", FLAG, "whether it still has prompts to answer"),
        column("waiting", INTEGER, "pairs that wait for its answer"),
        column("failed", INTEGER, "pairs that it could not answer"),
        column("problem", TEXT, "why not"),
        column("provenance", JSON, "what repeats its answers"),
        user_column("added_by", "who added it"),
        column("added_at", MOMENT, "when"),
    )


class ModelAnswerViewSet(Listing):
    """Each answer of a model to a prompt of a pair."""

    queryset: QuerySet[ModelAnswer] = ModelAnswer.objects.select_related("evaluation")
    permissions = (LOOK,)
    study_path = "evaluation__project__study"
    number = True
    filters = ModelAnswerFilters
    columns = (
        column("number", INTEGER, "the number of the answer on this site", of="pk"),
        column("evaluation", INTEGER, "the number of the evaluation on this site", of="evaluation_id"),
        column("model", TEXT, "the model", of="evaluation.name"),
        column("premise", INTEGER, "the number of the premise on this site", of="premise_id"),
        column("kind", TEXT, "generic, exception, or alone: the outcome without a sentence"),
        column("p_target", NUMBER, "the probability of the right word; null: not told"),
        column("p_incorrect", NUMBER, "the probability of the other word; null: not told"),
        column("is_right", FLAG, "whether the right word is the likelier one"),
    )
