"""Permissions of weird images that each role gets."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = (
    "whoops.view_project",
    "whoops.view_image",
    "whoops.view_designer",
    "whoops.view_annotation",
    "whoops.view_question",
    "whoops.view_category",
)
CHECK = ("whoops.review_image", "whoops.decide_annotation")
KEEP = (
    "whoops.add_project",
    "whoops.change_project",
    "whoops.add_designer",
    "whoops.change_designer",
    "whoops.decide_image",
    "whoops.edit_image",
    "whoops.add_category",
    "whoops.change_category",
    "whoops.delete_category",
    "whoops.add_question",
    "whoops.add_matchingscores",
    "whoops.delete_matchingscores",
)

# Launching batches and taking data out are permissions of their own.
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: (*LOOK, *CHECK),
    RESEARCHER: (*LOOK, *CHECK, *KEEP),
    OPERATOR: (*LOOK, *CHECK, *KEEP),
}
