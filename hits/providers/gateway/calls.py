"""How calls of providers are timed, whichever client makes them."""

from collections.abc import Iterator
from contextlib import contextmanager

from hits.common.watching.timings import Outcome, Timing
from hits.core.errors import ProviderRefused, ProviderUnavailable

CALLS = Timing(
    name="crowd_provider_call_seconds",
    words="Calls of providers, by the operation and by outcome: answered, refused, or unavailable.",
    labels=("operation", "outcome"),
    buckets=(0.05, 0.25, 1, 5, 30),
)


@contextmanager
def told_by_errors(outcome: Outcome) -> Iterator[None]:
    try:
        yield
    except ProviderRefused:
        outcome.value = "refused"
        raise
    except ProviderUnavailable:
        outcome.value = "unavailable"
        raise
    outcome.value = "answered"
