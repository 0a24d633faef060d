"""Charts of a study's statistics as files: each family with tables contributes its own."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crowd import family as families
from hits.studies.models import Study
from tests.crowd.plain.making import answer_each, asked_project, open_batch
from tests.crowd.whoops.making_results import make_every_result, make_results
from tests.crowd.winogavil.releases.data import make_game
from tests.crowd.winoground.making_scores import make_every_score
from tests.crowd.winoground.making_scores import make_project as make_captions
from tests.crowd.winoventi.rows import make_everything, make_project
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def make_whoops() -> Study:
    project, images = make_results(images=2)
    make_every_result(project, images)
    return project.study


def make_winoventi() -> Study:
    project = make_project()
    make_everything(project)
    return project.study


def make_winoground() -> Study:
    project = make_captions()
    make_every_score(project)
    return project.study


def make_plain() -> Study:
    project = asked_project("A cat sleeps.")
    answer_each(open_batch(project), [{"q1": "1"}])
    return project.study


def make_winogavil() -> Study:
    study = make_study()
    make_game(study)
    return study


MAKING = {
    "whoops": (make_whoops, {"identification-bars.svg", "captions-bars.svg", "tools-bars.svg"}),
    "winoventi": (make_winoventi, {"curves-1.svg", "curves-3.svg", "models-bars.svg"}),
    "winoground": (make_winoground, {"scores-text.svg", "scores-image.svg", "scores-group.svg"}),
    "plain": (make_plain, set()),
    "winogavil": (make_winogavil, {"shapes-shapes.svg", "creators-5_6.svg", "creators-10_12.svg"}),
}


def test_every_family_with_tables_is_drawn_here() -> None:
    assert {one.key for one in families.registered() if one.tables} == set(MAKING)


@pytest.mark.parametrize("family", MAKING)
def test_charts_of_a_study_are_written_as_files(
    family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("vl_convert")
    make, expected = MAKING[family]

    call_command("draw_figures", family, "--study", make().name, "--out", str(tmp_path / "figures"))

    written = sorted((tmp_path / "figures").iterdir())
    assert expected <= {path.name for path in written}
    assert all(path.read_bytes().startswith(b"<svg") for path in written)
    assert sorted(capsys.readouterr().out.splitlines()) == [str(path) for path in written]


def test_study_without_a_project_is_refused_in_words(tmp_path: Path) -> None:
    study = make_study()

    with pytest.raises(CommandError, match="has no exception procedure"):
        call_command("draw_figures", "winoventi", "--study", study.name, "--out", str(tmp_path))
    with pytest.raises(CommandError, match="There is no study"):
        call_command("draw_figures", "winoventi", "--study", "nowhere", "--out", str(tmp_path))
