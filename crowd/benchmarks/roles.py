"""What benchmarks add to the table of roles."""

from collections.abc import Mapping

from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER

LOOK = ("benchmarks.view_benchmark", "benchmarks.view_result")
RUN = ("benchmarks.add_result", "benchmarks.delete_result")
ROLES: Mapping[str, tuple[str, ...]] = {
    REVIEWER: LOOK,
    RESEARCHER: (*LOOK, *RUN),
    OPERATOR: (*LOOK, *RUN),
}
