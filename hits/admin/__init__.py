"""The researchers' and payments staff's pages. Thin: validate, one call, render."""

from hits.admin import (
    accounts,
    appeals,
    assignments,
    audit,
    bonuses,
    hit_pages,
    ledger,
    matches,
    messages,
    payments,
    runs,
    signing_in,
    studies,
    tokens,
    users,
    workers,
)
from hits.admin.batches import admin

__all__ = [
    "accounts",
    "admin",
    "appeals",
    "assignments",
    "audit",
    "bonuses",
    "hit_pages",
    "ledger",
    "matches",
    "messages",
    "payments",
    "runs",
    "signing_in",
    "studies",
    "tokens",
    "users",
    "workers",
]
