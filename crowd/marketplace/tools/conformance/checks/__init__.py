"""The 84 checks, by subject. Up to 72 each line of the reference is one function."""

from crowd.marketplace.tools.conformance.checks import (
    errors,
    faults,
    frames,
    hits,
    money,
    notifications,
    old_programs,
    product,
    qualifications,
    review,
    time,
    tokens,
)

__all__ = [
    "errors",
    "faults",
    "frames",
    "hits",
    "money",
    "notifications",
    "old_programs",
    "product",
    "qualifications",
    "review",
    "time",
    "tokens",
]
