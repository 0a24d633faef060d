"""What caption matching adds to the table of roles: authors, who are invited to write examples."""

from hits.roles import AUTHOR, OPERATOR, RESEARCHER, REVIEWER, extend

LOOK = ("winoground.view_project", "winoground.view_example", "winoground.view_tag")
WRITE = ("winoground.add_example", "winoground.change_example", "winoground.add_tag")
KEEP = (
    "winoground.add_project",
    "winoground.change_project",
    "winoground.change_tag",
    "winoground.delete_tag",
    "winoground.add_modelscores",
    "winoground.delete_modelscores",
)


def extend_roles_table() -> None:
    """Called from AppConfig.ready. Launching and taking data out are permissions of their own."""
    extend(LOOK, REVIEWER)
    extend((*LOOK, *WRITE), AUTHOR)
    extend((*LOOK, *WRITE, *KEEP), RESEARCHER, OPERATOR)
