from qualifications.models.swow import SwowEdge, SwowList, SwowWord

__all__ = ["SwowEdge", "SwowList", "SwowWord"]
