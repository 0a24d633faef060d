"""What rehearsals add to the table of roles."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = ("rehearsal.view_rehearsal",)
RUN = ("rehearsal.add_rehearsal", "rehearsal.delete_rehearsal")
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *RUN),
    OPERATOR: (*LOOK, *RUN),
}
