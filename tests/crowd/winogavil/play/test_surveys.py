"""The exit survey: answered once, stored apart from the game, exported only by permission and on record."""

from typing import Any

import pytest

from crowd.winogavil.play.models import Player, Survey
from crowd.winogavil.play.services import surveys
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from tests.crowd.winogavil.play.table import make_game, make_player
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db


def answers(**changes: Any) -> dict[str, Any]:
    scales = dict.fromkeys((*Survey.SKILLS, *Survey.OPINIONS), 4)
    return {**scales, **dict.fromkeys(Survey.QUESTIONS, ""), **changes}


@pytest.fixture
def player() -> Player:
    return make_player(make_game(picture_sets=0), name="Owl")


def test_survey_asks_six_skills_three_opinions_and_four_questions() -> None:
    assert (len(Survey.SKILLS), len(Survey.OPINIONS), len(Survey.QUESTIONS)) == (6, 3, 4)


def test_survey_is_answered_once(player: Player) -> None:
    surveys.answer_survey(player=player, answers=answers(liked="The puzzles."), now=NOW)

    with pytest.raises(RuleBroken, match="before"):
        surveys.answer_survey(player=player, answers=answers(liked="Nothing."), now=NOW)

    assert Survey.objects.get().liked == "The puzzles."


def test_export_is_under_pseudonyms_and_on_record(player: Player) -> None:
    surveys.answer_survey(player=player, answers=answers(clarity=5, anything="=1+1"), now=NOW)

    (row,) = surveys.export_surveys(game=player.game, by=make_user(), now=NOW)

    assert row == [player.worker.pseudonym, "2026-11-21", *["4"] * 8, "5", "", "", "", "=1+1"]
    assert "Owl" not in row
    assert len(row) == len(surveys.COLUMNS)
    assert AuditEvent.objects.filter(kind="web_game.surveys_exported").count() == 1
