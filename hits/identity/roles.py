"""Roles: six groups and their permissions, in one table.

After every migration groups that are missing are made, and each gets once what the table has for it. What a
superuser has taken from a group stays taken.
"""

from collections import defaultdict
from typing import Any

from django.apps import AppConfig
from django.apps import apps as installed
from django.db import router

LOOK = (
    "hits.view_study",
    "hits.view_batch",
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
# Who sees bonuses sees the books too: each row of them may be a bonus, with its worker's pseudonym.
BOOKS = ("hits.view_bonus", "hits.view_ledgerentry")
MONEY = (
    *BOOKS,
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
CONTENT = (
    "pictures.view_picture",
    "scoring.view_registeredrival",
    "scoring.view_studyrival",
    "scoring.view_verdict",
    "qualifications.view_swowlist",
)

# Permissions on the pool of pictures: to decide what is shown, and to fill it.
CHECK_POOL = ("pictures.check_picture", "pictures.view_report")
KEEP_POOL = (
    *CHECK_POOL,
    "pictures.change_picture",
    "pictures.import_picture",
    "pictures.remove_picture",
    "pictures.view_import",
)

RESEARCHER = "researcher"
REVIEWER = "reviewer"
PAYMENTS_PREPARER = "payments preparer"
PAYMENTS_APPROVER = "payments approver"
OPERATOR = "operator"
# Invited to write items: sees the studies of the invitation, and what the families give to authors.
AUTHOR = "author"

ROLES: dict[str, tuple[str, ...]] = {
    RESEARCHER: (
        *LOOK,
        *OWN_TOKENS,
        *REVIEW,
        *PEOPLE,
        *RUN,
        *CONTENT,
        *KEEP_POOL,
        "hits.second_rejection",
        *ANSWER,
        "scoring.change_studyrival",
        "hits.view_account",
        *BOOKS,
        "hits.view_run",
        "hits.add_study",
        "hits.change_study",
        "hits.view_purge",
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
        *KEEP_POOL,
        "hits.view_decision",
        "hits.view_note",
        "hits.second_rejection",
        "hits.view_account",
        "hits.add_account",
        "hits.change_account",
        *MONEY,
        "hits.change_study",
        "hits.see_all_studies",
        "hits.view_purge",
        "hits.purge_study",
        "hits.see_worker_id",
        "pictures.view_original",
        "hits.view_disclosure",
        "hits.launch_production",
        "hits.view_notice",
        "hits.view_stranger",
        "scoring.change_registeredrival",
        "qualifications.delete_swowlist",
        "hits.view_user",
        "hits.add_user",
        "hits.change_user",
    ),
    AUTHOR: ("hits.view_study",),
}

# What each role is for, in a line beside its box.
MEANINGS: dict[str, str] = {
    RESEARCHER: "sets up studies, launches and steers batches, decides on work and answers workers.",
    REVIEWER: "decides on work and checks pictures; launches nothing, sees no bonuses and no books.",
    AUTHOR: "writes items of their own for the studies they are invited to, and sees nothing else.",
    PAYMENTS_PREPARER: "puts runs of bonuses together and answers appeals; approves none, reviews no work.",
    PAYMENTS_APPROVER: "approves or refuses the runs of others and answers appeals; prepares none.",
    OPERATOR: "adds people, gives roles, keeps accounts, sees every study, and launches for real money.",
}


def extend(permissions: tuple[str, ...], *names: str) -> None:
    """Add the permissions of a higher room to roles. Called from its AppConfig.ready."""
    for name in names:
        ROLES[name] = (*ROLES[name], *permissions)


def install_roles(apps: Any) -> None:
    """Do nothing: migrations of before version 0.1 call this, and `give_roles` does the work after them."""


extend_roles = install_roles


def give_roles(sender: AppConfig, using: str, apps: Any = installed, **_: Any) -> None:
    """Give roles their permissions of this one app, as a post_migrate handler: Django has just made those."""
    wanted = _wanted_of(sender.label)
    if not wanted or not _has_tables(apps, using):
        return
    groups = _make_groups(apps, using, list(wanted))
    grant = apps.get_model("hits", "RoleGrant").objects.using(using)
    given = set(grant.values_list("role", "permission"))
    permissions = _permissions_of(apps, using, sender.label)
    news = [(role, name) for role, names in wanted.items() for name in names if (role, name) not in given]
    for role, group in groups.items():
        group.permissions.add(*(permissions[name] for holder, name in news if holder == role))
    grant.bulk_create(grant.model(role=role, permission=name) for role, name in news)


def _wanted_of(label: str) -> dict[str, list[str]]:
    wanted = defaultdict(list)
    for role, names in ROLES.items():
        for name in dict.fromkeys(names):
            if name.startswith(f"{label}."):
                wanted[role].append(name)
    return wanted


def _has_tables(apps: Any, using: str) -> bool:
    """Whether grants have a table: not in the marketplace's database, nor in a half-migrated one."""
    try:
        grant = apps.get_model("hits", "RoleGrant")
    except LookupError:
        return False
    return bool(router.allow_migrate_model(using, grant))


def _make_groups(apps: Any, using: str, roles: list[str]) -> dict[str, Any]:
    """Return the roles' groups. A group that was deleted is made again, with all its permissions."""
    group = apps.get_model("auth", "Group").objects.using(using)
    found = {row.name: row for row in group.filter(name__in=roles)}
    missing = [role for role in roles if role not in found]
    apps.get_model("hits", "RoleGrant").objects.using(using).filter(role__in=missing).delete()
    return found | {role: group.create(name=role) for role in missing}


def _permissions_of(apps: Any, using: str, label: str) -> dict[str, Any]:
    rows = apps.get_model("auth", "Permission").objects.using(using).filter(content_type__app_label=label)
    return {f"{label}.{row.codename}": row for row in rows}
