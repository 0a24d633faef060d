"""The worker site's lists, in total orders, in time that does not grow with the number of HITs."""

from crowd.marketplace.queries.groups import COUNTED, LISTED, read_groups
from crowd.marketplace.queries.hits import next_hit_id, open_hits
from crowd.marketplace.queries.keysets import Keyset, Page, read_page
from crowd.marketplace.queries.records import (
    ACCEPTED,
    HISTORY,
    LATEST,
    Waiting,
    accepted_work,
    count_waiting,
    history,
    messages,
    payouts,
    reward_waiting,
)
from crowd.marketplace.queries.search_words import words_of

__all__ = [
    "ACCEPTED",
    "COUNTED",
    "HISTORY",
    "LATEST",
    "LISTED",
    "Keyset",
    "Page",
    "Waiting",
    "accepted_work",
    "count_waiting",
    "history",
    "messages",
    "next_hit_id",
    "open_hits",
    "payouts",
    "read_groups",
    "read_page",
    "reward_waiting",
    "words_of",
]
