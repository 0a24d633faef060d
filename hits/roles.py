"""Who may do what: six groups, in one table. Migrations install what is missing and take nothing away."""

from typing import Any

LOOK = (
    "hits.view_study",
    "hits.view_batch",
    "hits.view_ledgerentry",
    "hits.view_batchevent",
    "hits.view_hit",
    "hits.view_assignment",
    "hits.view_worker",
)
OWN_TOKENS = ("hits.view_apitoken", "hits.add_apitoken", "hits.change_apitoken")
REVIEW = ("hits.review_assignment", "hits.view_decision", "hits.view_note", "hits.add_note")
PEOPLE = (
    "hits.block_worker",
    "hits.view_block",
    "hits.send_message",
    "hits.view_message",
    "hits.view_recipient",
)
RUN = ("hits.launch_batch", "hits.steer_batch", "hits.export_batch", "hits.view_change")
MONEY = (
    "hits.view_bonus",
    "hits.view_run",
    "hits.view_halt",
    "hits.view_match",
    "hits.view_difference",
    "hits.view_deposit",
    "hits.view_auditevent",
    "hits.view_appeal",
    "hits.set_halt",
    "hits.run_match",
)
ANSWER = ("hits.view_appeal", "hits.answer_appeal")
DATA = (
    "winogavil_releases.add_release",
    "winogavil_releases.publish_release",
    "winogavil_releases.delete_release",
    "winogavil_releases.add_prediction",
    "winogavil_releases.delete_prediction",
)
CONTENT = (
    "winogavil.view_association",
    "winogavil.view_board",
    "winogavil.view_game",
    "winogavil.view_cuereport",
    "winogavil_annotation.view_annotation",
    "pictures.view_picture",
    "scoring.view_registeredrival",
    "scoring.view_studyrival",
    "scoring.view_verdict",
    "winogavil_releases.view_release",
    "winogavil_releases.view_statistics",
    "qualifications.view_swowlist",
)

# The pool of pictures: who decides what is shown, and who fills it.
CHECK_POOL = ("pictures.check_picture", "pictures.view_report")
KEEP_POOL = (
    *CHECK_POOL,
    "pictures.change_picture",
    "pictures.import_picture",
    "pictures.remove_picture",
    "pictures.view_import",
)

# The association game: its picture sets, its rules, and what is reported of its words.
KEEP_GAME = (
    "winogavil.add_board",
    "winogavil.add_game",
    "winogavil.change_game",
    "winogavil.decide_cuereport",
)

# The web game: what players agree to, and what they say when they have played.
RUN_PLAY = (
    "winogavil_play.view_webgame",
    "winogavil_play.view_player",
    "winogavil_play.run_webgame",
    "winogavil_play.export_survey",
    "winogavil_play.switch_dailyfeedback",
)

RESEARCHER = "researcher"
REVIEWER = "reviewer"
PAYMENTS_PREPARER = "payments preparer"
PAYMENTS_APPROVER = "payments approver"
OPERATOR = "operator"
# Invited to write items: sees the studies of theirs, and what the families give to authors.
AUTHOR = "author"

ROLES: dict[str, tuple[str, ...]] = {
    RESEARCHER: (
        *LOOK,
        *OWN_TOKENS,
        *REVIEW,
        *PEOPLE,
        *RUN,
        *CONTENT,
        *DATA,
        *KEEP_POOL,
        *KEEP_GAME,
        *RUN_PLAY,
        "hits.second_rejection",
        *ANSWER,
        "scoring.change_studyrival",
        "winogavil_annotation.add_draw",
        "hits.view_account",
        "hits.view_bonus",
        "hits.view_run",
        "hits.add_study",
        "hits.change_study",
        "hits.add_batch",
        "hits.change_batch",
        "hits.delete_batch",
    ),
    REVIEWER: (*LOOK, *OWN_TOKENS, *REVIEW, *CONTENT, *CHECK_POOL),
    PAYMENTS_PREPARER: (
        *LOOK,
        *OWN_TOKENS,
        *MONEY,
        *ANSWER,
        "hits.prepare_run",
        "hits.hold_bonus",
        "hits.settle_bonus",
        "hits.add_deposit",
    ),
    PAYMENTS_APPROVER: (*LOOK, *OWN_TOKENS, *MONEY, *ANSWER, "hits.approve_run"),
    OPERATOR: (
        *LOOK,
        *OWN_TOKENS,
        *PEOPLE,
        *RUN,
        *CONTENT,
        *DATA,
        *KEEP_POOL,
        *KEEP_GAME,
        *RUN_PLAY,
        "hits.view_decision",
        "hits.view_note",
        "hits.second_rejection",
        "hits.view_account",
        "hits.add_account",
        "hits.change_account",
        *MONEY,
        "hits.change_study",
        "hits.see_all_studies",
        "hits.see_worker_id",
        "pictures.view_original",
        "hits.view_disclosure",
        "hits.launch_production",
        "hits.view_notice",
        "hits.view_stranger",
        "qualifications.delete_swowlist",
        "hits.view_user",
        "hits.add_user",
        "hits.change_user",
    ),
    AUTHOR: ("hits.view_study",),
}


def extend(permissions: tuple[str, ...], *names: str) -> None:
    """A room above adds its own to the table. Called from its AppConfig.ready."""
    for name in names:
        ROLES[name] = (*ROLES[name], *permissions)


def install_roles(apps: Any) -> list[str]:
    """Makes the groups that are not there yet, and leaves the others as somebody made them."""
    group = apps.get_model("auth", "Group")
    missing = [name for name in ROLES if not group.objects.filter(name=name).exists()]
    for name in missing:
        group.objects.create(name=name).permissions.set(
            [_permission(apps, permission) for permission in ROLES[name]]
        )
    return missing


def extend_roles(apps: Any) -> None:
    """Gives the groups that are there what a new release adds to their line of the table."""
    group = apps.get_model("auth", "Group")
    for name, wanted in ROLES.items():
        for found in group.objects.filter(name=name):
            found.permissions.add(*[_permission(apps, permission) for permission in wanted])


def _permission(apps: Any, name: str) -> Any:
    """The row of app.codename. It may be wanted before its room has been installed."""
    label, _, codename = name.partition(".")
    permissions = apps.get_model("auth", "Permission").objects
    if found := permissions.filter(content_type__app_label=label, codename=codename).first():
        return found
    verb, _, model = codename.partition("_")
    content_types = apps.get_model("contenttypes", "ContentType").objects
    content_type, _ = content_types.get_or_create(app_label=label, model=model)
    return permissions.create(content_type=content_type, codename=codename, name=f"Can {verb} {model}")
