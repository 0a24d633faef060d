"""What the association game adds to the table of roles."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = (
    "winogavil.view_association",
    "winogavil.view_pictureset",
    "winogavil.view_game",
    "winogavil.view_cuereport",
    "winogavil_annotation.view_annotation",
    "winogavil_releases.view_statistics",
)
# Permissions for the picture sets, the rules, and the reports of words.
KEEP = (
    "winogavil.add_pictureset",
    "winogavil.add_game",
    "winogavil.change_game",
    "winogavil.decide_cuereport",
)
# Permission for the list that rates words.
BRING = ("winogavil_releases.add_concretenesslist",)
# Permissions for the web game, with its consent texts, feedback and surveys.
PLAY = (
    "winogavil_play.view_webgame",
    "winogavil_play.view_player",
    "winogavil_play.run_webgame",
    "winogavil_play.export_survey",
    "winogavil_play.switch_dailyfeedback",
)

ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *KEEP, *PLAY, *BRING, "winogavil_annotation.add_draw"),
    OPERATOR: (*LOOK, *KEEP, *PLAY, *BRING),
}
