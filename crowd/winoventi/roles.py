"""Permissions that the exception procedure adds to the table of roles."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = (
    "winoventi.view_project",
    "winoventi.view_generic",
    "winoventi.view_alternative",
    "winoventi.view_premise",
    "winoventi.view_judgement",
    "winoventi.view_wordtag",
)
KEEP = (
    "winoventi.add_project",
    "winoventi.change_project",
    "winoventi.add_evaluation",
    "winoventi.delete_evaluation",
)

# Launching and taking data out are permissions of their own.
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *KEEP),
    OPERATOR: (*LOOK, *KEEP),
}
