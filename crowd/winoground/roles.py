"""Permissions of caption matching that each role gets. Authors are invited to write examples."""

from collections.abc import Mapping

from hits.identity.roles import AUTHOR, OPERATOR, RESEARCHER, REVIEWER

LOOK = ("winoground.view_project", "winoground.view_example", "winoground.view_tag")
WRITE = ("winoground.add_example", "winoground.change_example", "winoground.add_tag")
KEEP = (
    "winoground.add_project",
    "winoground.change_project",
    "winoground.change_tag",
    "winoground.delete_tag",
)

# Launching batches and taking data out are permissions of their own.
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    AUTHOR: (*LOOK, *WRITE),
    RESEARCHER: (*LOOK, *WRITE, *KEEP),
    OPERATOR: (*LOOK, *WRITE, *KEEP),
}
