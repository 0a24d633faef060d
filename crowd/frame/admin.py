"""What the pages of staff learn of the frame: each batch can be seen as its workers see it."""

from crowd.frame.previews.preview_desk import PAGE
from hits.admin.batches import batch_pages

batch_pages.announce(PAGE)
