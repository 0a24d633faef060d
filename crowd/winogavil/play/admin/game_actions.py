"""Actions behind the buttons and forms on the page of a study's web game."""

from typing import Any

from django.shortcuts import get_object_or_404

from crowd.winogavil.play.admin.forms import ConsentForm, FeedbackForm, SettingsForm, TitleForm
from crowd.winogavil.play.models import WebGame
from crowd.winogavil.play.services import letters, web_games
from hits.admin.actions import Action, Call, Outcome
from hits.studies.models import Study

RUN = "winogavil_play.run_webgame"
SWITCH = "winogavil_play.switch_dailyfeedback"


def game_of(study: Study) -> WebGame:
    return get_object_or_404(WebGame.objects.select_related("study"), study=study)


def _make(call: Call[Study]) -> Outcome:
    web_games.make_web_game(study=call.row, by=call.by, now=call.now, **call.values)
    return Outcome()


def _open(call: Call[Study]) -> Outcome:
    web_games.open_game(game=game_of(call.row), by=call.by, now=call.now)
    return Outcome(said="The game is open: players can join.")


def _close(call: Call[Study]) -> Outcome:
    web_games.close_game(game=game_of(call.row), by=call.by, now=call.now)
    return Outcome(said="The game is closed. Players still see their figures.")


def _settings_form(data: Any, call: Call[Study]) -> SettingsForm:
    return SettingsForm(data, instance=game_of(call.row))


def _change_settings(call: Call[Study]) -> Outcome:
    web_games.change_settings(game=game_of(call.row), changes=call.values, by=call.by, now=call.now)
    return Outcome(said="Saved.")


def _write_consent(call: Call[Study]) -> Outcome:
    made = web_games.write_consent(game=game_of(call.row), by=call.by, now=call.now, **call.values)
    return Outcome(said=f"Version {made.version} of the consent text is in force now.")


def _switch_feedback(call: Call[Study]) -> Outcome:
    is_on, hour = call.values["is_on"], call.values["hour"]
    letters.switch_feedback(study=call.row, on=is_on, hour=hour, by=call.by, now=call.now)
    return Outcome(said="Saved.")


ACTIONS = {
    "make": Action(
        label="Make a web game", permissions=[RUN], form=lambda data, _: TitleForm(data), run=_make
    ),
    "open": Action(label="Open the game", permissions=[RUN], one_click=True, run=_open),
    "close": Action(label="Close the game", permissions=[RUN], one_click=True, run=_close),
    "settings": Action(
        label="Save the settings", permissions=[RUN], form=_settings_form, run=_change_settings
    ),
    "consent": Action(
        label="Publish this consent text",
        permissions=[RUN],
        form=lambda data, _: ConsentForm(data),
        run=_write_consent,
    ),
    "feedback": Action(
        label="Save the daily feedback",
        permissions=[SWITCH],
        form=lambda data, _: FeedbackForm(data),
        run=_switch_feedback,
    ),
}
