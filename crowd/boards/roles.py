"""What boards add to the table of roles."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = ("boards.view_board", "boards.view_invitation", "boards.view_submission")
RUN = ("boards.change_board", "boards.open_board", "boards.add_invitation", "boards.change_invitation")
DECIDE = ("boards.change_submission",)
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *RUN, *DECIDE),
    OPERATOR: (*LOOK, *RUN, *DECIDE),
}
