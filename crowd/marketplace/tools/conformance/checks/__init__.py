"""The 72 checks, by subject. Each line of the reference is one function."""

from crowd.marketplace.tools.conformance.checks import (
    errors,
    faults,
    frames,
    hits,
    money,
    notifications,
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
    "product",
    "qualifications",
    "review",
    "time",
    "tokens",
]
