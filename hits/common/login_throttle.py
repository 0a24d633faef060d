"""Defense against guessing of passwords: wrong ones are counted, by name and by address."""

from collections.abc import Iterator
from ipaddress import IPv6Address, IPv6Network, ip_address

from hits.common import rates

WINDOW_S = 900
MOST_FAILURES = 5  # for one name from one address
MOST_FAILURES_OF_NAME = 500  # from anywhere: a hundred addresses, so that few cannot shut its owner out
MOST_FAILURES_FROM_ADDRESS = 200  # for any name: an office behind one address still gets in


class TooManyFailures(Exception):
    """Too many wrong passwords: even the right one is not tried now."""


def refuse_if_guessing(*, door: str, name: str, address: str) -> None:
    """Raise TooManyFailures if a limit is reached. Each door counts for itself."""
    for kind, key, most in _limits(name, address):
        if rates.is_spent(f"{door}.{kind}", key, most=most, window_s=WINDOW_S):
            raise TooManyFailures


def count_failure(*, door: str, name: str, address: str) -> None:
    for kind, key, most in _limits(name, address):
        rates.spend(f"{door}.{kind}", key, most=most, window_s=WINDOW_S)


def _limits(name: str, address: str) -> Iterator[tuple[str, str, int]]:
    """Yield kind, key and limit. A name, which anybody may type, can never be the key of another kind."""
    place = place_of(address)
    yield "pair", f"{place}\n{name}", MOST_FAILURES
    yield "name", name, MOST_FAILURES_OF_NAME
    yield "place", place, MOST_FAILURES_FROM_ADDRESS


def place_of(address: str) -> str:
    """Return the address's /64 network if it is IPv6: one line has 2**64 addresses, which count as one."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(IPv6Network((found, 64), strict=False)) if isinstance(found, IPv6Address) else str(found)
