"""The possible bonus in a HIT's description: words on any platform, and a figure on ours."""

import re
from decimal import Decimal

from hits.common.currencies import Currency, in_money

LONGEST = 2000  # characters of a description
SEPARATOR = " · "
SAID = re.compile(re.escape(SEPARATOR) + r"Bonus of up to \$([0-9]{1,3}(?:,[0-9]{3})?\.[0-9]{2})$")


def add_bonus(description: str, *, most: Decimal, currency: str = Currency.USD) -> str:
    """Add the most that one submission may earn beyond the reward, unless that is nothing."""
    told = f"{description}{SEPARATOR}Bonus of up to {in_money(most, currency)}"
    return told if most > 0 and len(told) <= LONGEST else description


def read_bonus(description: str) -> tuple[str, Decimal | None]:
    """Read the most that the last part promises, if there is such a part, and the words before it."""
    found = SAID.search(description)
    if not found or not (most := Decimal(found[1].replace(",", ""))):
        return description, None
    return description[: found.start()], most
