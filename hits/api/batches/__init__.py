"""Batches in the API: drafts, launching and steering, and their results."""

from hits.api.batches.batch_views import BatchViewSet
from hits.api.batches.items import ItemsViewSet

__all__ = ["BatchViewSet", "ItemsViewSet"]
