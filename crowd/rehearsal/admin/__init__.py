"""Pages of rehearsals, which every page of a batch leads to."""

from crowd.rehearsal.admin.rehearsal_pages import PAGE
from hits.admin.batches import batch_pages

batch_pages.announce(PAGE)
