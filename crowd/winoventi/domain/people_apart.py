"""The steps of one study that are kept to different people."""

from collections.abc import Mapping, Sequence

from crowd.winoventi.domain import CHOOSE, EXCEPTIONS, PREMISES, VALIDATE

# In the paper qualified people wrote, and anybody could validate: nobody was kept away from another step.
TOGETHER = "together"
WRITERS = "writers"
STEPS = "steps"
# Groups of steps; a worker who took part in one group takes part in no other one.
GROUPS: Mapping[str, Sequence[frozenset[str]]] = {
    TOGETHER: (frozenset({EXCEPTIONS, PREMISES, VALIDATE, CHOOSE}),),
    WRITERS: (frozenset({EXCEPTIONS, PREMISES}), frozenset({VALIDATE, CHOOSE})),
    STEPS: (frozenset({EXCEPTIONS}), frozenset({PREMISES}), frozenset({VALIDATE}), frozenset({CHOOSE})),
}


def tasks_apart(task: str, *, rule: str) -> frozenset[str]:
    """The tasks of which a worker may have done none who is to do this one."""
    return frozenset[str]().union(*(group for group in GROUPS[rule] if task not in group))
