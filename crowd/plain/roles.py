"""Permissions that one's own questions add to the table of roles; launching and export are there already."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = ("plain.view_project",)
KEEP = ("plain.add_project", "plain.change_project")

ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *KEEP),
    OPERATOR: (*LOOK, *KEEP),
}
