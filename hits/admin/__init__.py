"""The pages of researchers and payments staff. Each view validates, makes one call, and renders."""

from hits.admin import accounts, audit
from hits.admin.batches import admin
from hits.admin.identity import signing_in, tokens, users
from hits.admin.payments import bonuses, ledger_list, match_pages, payment_desk, run_pages
from hits.admin.people import messages, workers
from hits.admin.review import appeals, assignments
from hits.admin.studies import study_admin
from hits.admin.work import hit_pages

__all__ = [
    "accounts",
    "admin",
    "appeals",
    "assignments",
    "audit",
    "bonuses",
    "hit_pages",
    "ledger_list",
    "match_pages",
    "messages",
    "payment_desk",
    "run_pages",
    "signing_in",
    "study_admin",
    "tokens",
    "users",
    "workers",
]
