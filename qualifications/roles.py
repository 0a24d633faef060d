"""Permissions that this room adds to the table of roles."""

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER, extend

LOOK = ("qualifications.view_gate", "qualifications.view_attempt", "qualifications.view_holding")
GRADE = ("qualifications.grade_attempt",)
KEEP = ("qualifications.add_gate", "qualifications.change_gate")
# Consent: what workers are asked to agree to, who has withdrawn, and counts of what they say of themselves.
ASK = (
    "qualifications.view_consenttext",
    "qualifications.publish_consenttext",
    "qualifications.count_demographics",
)
ERASE = ("qualifications.erase_demographics", "qualifications.lift_underage")


def extend_roles_table() -> None:
    """Add this room's permissions to the roles; called from AppConfig.ready.

    Roles that make gates also grade; a reviewer grades and looks.
    """
    extend((*LOOK, *GRADE), REVIEWER)
    extend((*LOOK, *GRADE, *KEEP), RESEARCHER, OPERATOR)
    extend(ASK, RESEARCHER, OPERATOR)
    extend(ERASE, OPERATOR)
