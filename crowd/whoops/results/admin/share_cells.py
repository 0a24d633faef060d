"""Columns and cells of tables that show a share."""

from typing import Any

from crowd.whoops.judge.domain.votes import Share
from hits.datasets.stat_table import INTERVAL, SHARE, head

OF_ALL = head("Share", SHARE)
WITH_INTERVAL = (OF_ALL, head("95 % interval", INTERVAL))


def share_cells(share: Share) -> tuple[Any, Any]:
    return share.value, share.interval
