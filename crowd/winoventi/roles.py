"""What the exception procedure adds to the table of roles."""

from hits.roles import OPERATOR, RESEARCHER, REVIEWER, extend

LOOK = (
    "winoventi.view_project",
    "winoventi.view_generic",
    "winoventi.view_alternative",
    "winoventi.view_premise",
    "winoventi.view_judgement",
)
KEEP = (
    "winoventi.add_project",
    "winoventi.change_project",
    "winoventi.add_evaluation",
    "winoventi.delete_evaluation",
)


def extend_roles_table() -> None:
    """Called from AppConfig.ready. Launching and taking data out are permissions of their own."""
    extend(LOOK, REVIEWER)
    extend((*LOOK, *KEEP), RESEARCHER, OPERATOR)
