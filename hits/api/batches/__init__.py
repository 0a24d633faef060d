"""Batches: drafts, launching and steering, and what came of them."""

from hits.api.batches.batch_views import BatchViewSet
from hits.api.batches.items import ItemsViewSet

__all__ = ["BatchViewSet", "ItemsViewSet"]
