"""Uploaded answers of models on published data, as players see them."""

from collections.abc import Sequence
from fractions import Fraction

from crowd.benchmarks.models import Result
from crowd.releases.models import Release
from crowd.winogavil.releases.domain import per_cent
from crowd.winogavil.releases.game_benchmark import DATA, WHOLE_GAME, PickPictures
from crowd.winogavil.releases.origins import holds_game
from crowd.winogavil.uploaded_models import ModelRow, UploadedModels
from hits.studies.models import Study


def uploaded_models(study: Study) -> UploadedModels | None:
    """Models with answers to the whole newest published release that holds the game and has such models.

    The means are those of the game's associations: a baseline in the same release is not among them. The
    people are the release's solvers: newcomers to the study were asked about a sample of all of its data.
    """
    found = _whole_uploads(study)
    if not found:
        return None
    newest = found[0].benchmark
    models = [result for result in found if result.benchmark_id == newest.pk]
    people = newest.results.filter(source=Result.Source.PEOPLE, status=Result.Status.DONE)
    rows = [row for result in (*people, *models) if (row := _row(result))]
    return UploadedModels(data=str(newest.release), rows=sorted(rows, key=lambda row: (-row.mean, row.name)))


def _whole_uploads(study: Study) -> Sequence[Result]:
    """Uploaded answers to all items of published releases of the game, those of the newest first."""
    uploaded = Result.objects.filter(
        source=Result.Source.UPLOADED,
        answered__gt=0,
        benchmark__task=PickPictures.key,
        benchmark__release__study=study,
        benchmark__release__family=PickPictures.family,
        benchmark__release__status=Release.Status.RELEASED,
    )
    newest_first = ("-benchmark__release__released_at", "-benchmark__release_id", "pk")
    return [
        result
        for result in uploaded.select_related("benchmark__release__study").order_by(*newest_first)
        if holds_game(result.benchmark.release) and _is_whole(result)
    ]


def _is_whole(result: Result) -> bool:
    return bool(result.answered == result.benchmark.release.counts.get("selected"))


def _row(result: Result) -> ModelRow | None:
    of_game = (DATA, WHOLE_GAME)
    total = next((one for one in result.sums if (one["group"], one["value"]) == of_game), None)
    if total is None:
        return None
    mean = per_cent(Fraction(str(total["sum"])) / int(str(total["items"])))
    return ModelRow(name=result.name, mean=float(mean or 0), is_people=not result.is_of_model)
