"""Uploaded predictions on published data, as players see them."""

from django.db.models import Max

from crowd.releases.models import Release
from crowd.winogavil.releases.domain import ALL
from crowd.winogavil.releases.origins import holds_game
from crowd.winogavil.releases.queries.model_table import SOLVERS, Line, table
from crowd.winogavil.uploaded_models import ModelRow, UploadedModels
from hits.studies.models import Study


def uploaded_models(study: Study) -> UploadedModels | None:
    """Models with predictions of the whole newest published release that holds the game and has such models.

    The means are those of the game's associations: a baseline in the same release is not among them. The
    people are the release's solvers: newcomers to the study were asked about a sample of all of its data.
    """
    release = _newest_predicted(study)
    if release is None:
        return None
    lines = table(release)
    whole = _items_in(release)
    models = [line for line in lines if line.prediction and line.items == whole]
    people = next((line for line in lines if line.name == SOLVERS and line.is_people), None)
    rows = [row for line in (people, *models) if line and (row := _row(line))]
    return UploadedModels(data=str(release), rows=sorted(rows, key=lambda row: (-row.mean, row.name)))


def _newest_predicted(study: Study) -> Release | None:
    """The newest published release of the game with a prediction of all of its items."""
    published = Release.objects.filter(study=study, status=Release.Status.RELEASED)
    predicted = published.annotate(most=Max("predictions__rows")).filter(most__gt=0)
    return next(
        (
            release
            for release in predicted.order_by("-released_at", "-pk")
            if holds_game(release) and release.most == _items_in(release)
        ),
        None,
    )


def _items_in(release: Release) -> int:
    count: int = release.counts.get("selected", 0)
    return count


def _row(line: Line) -> ModelRow | None:
    mean = line.means[ALL]
    return None if mean is None else ModelRow(name=line.name, mean=float(mean), is_people=line.is_people)
