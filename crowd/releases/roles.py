"""What releases add to the table of roles."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = ("releases.view_release",)
DATA = ("releases.add_release", "releases.publish_release", "releases.delete_release")
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *DATA),
    OPERATOR: (*LOOK, *DATA),
}
