"""Batches: drafts, launching and steering, and what came of them."""

from hits.api.batches.items import ItemsViewSet
from hits.api.batches.views import BatchViewSet

__all__ = ["BatchViewSet", "ItemsViewSet"]
