"""What researchers and payments staff look at."""

from hits.batches.queries.tally import Progress, batches_with_counts, progress_of
from hits.work.queries import answers_wanted, batches_wanting, items_of_batch, room_of

__all__ = [
    "Progress",
    "answers_wanted",
    "batches_wanting",
    "batches_with_counts",
    "items_of_batch",
    "progress_of",
    "room_of",
]
