"""The filters that an account's provider offers, read every ten minutes at most, and what does not fit."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.cache import cache

from hits.core.domain.requirements import CHOSEN, FILTER, RANGE
from hits.core.errors import CrowdError
from hits.providers.capabilities import Gating
from hits.providers.gateway.interface import OfferedFilter
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account

READ_EVERY_S = 600
MOST_NAMED = 8


def offered_filters(account: Account) -> Sequence[OfferedFilter]:
    """Return the filters, or none where the provider has none or does not answer a quick question."""
    if account.can.gating != Gating.GROUPS:
        return []
    key = f"offered_filters:{account.pk}"
    known: Sequence[OfferedFilter] | None = cache.get(key)
    if known is None:
        try:
            known = list(provider_for(account, quick=True).list_filters())
        except CrowdError:
            return []
        cache.set(key, known, READ_EVERY_S)
    return known


def filters_in_words(asked: Sequence[Mapping[str, Any]], *, account: Account) -> dict[str, str]:
    """Return what each filter that the provider offers says, in its own words, by the filter's id."""
    chosen = [row for row in asked if FILTER in row]
    offered = {one.id: one for one in offered_filters(account)} if chosen else {}
    return {row[FILTER]: _in_words(row, offered[row[FILTER]]) for row in chosen if row[FILTER] in offered}


def _in_words(row: Mapping[str, Any], one: OfferedFilter) -> str:
    if RANGE in row:
        return f"{one.title}: {row[RANGE][0]} to {row[RANGE][1]}"
    return f"{one.title}: {' or '.join(one.choices.get(value, value) for value in row[CHOSEN])}"


def wrong_filters(asked: Sequence[Mapping[str, Any]], *, account: Account) -> Iterator[str]:
    """Say of each filter what the provider does not offer. Nothing is said where its list is not known."""
    chosen = [row for row in asked if FILTER in row]
    offered = {one.id: one for one in offered_filters(account)} if chosen else {}
    for row in chosen if offered else ():
        if (one := offered.get(row[FILTER])) is None:
            near = [known for known in sorted(offered) if str(row[FILTER])[:4].lower() in known]
            hint = f" Did you mean {', '.join(near[:MOST_NAMED])}?" if near else ""
            yield f"The provider has no filter {row[FILTER]}.{hint} The step “People” lists those it has."
        else:
            yield from _misused(row, one)


def _misused(row: Mapping[str, Any], one: OfferedFilter) -> Iterator[str]:
    if one.is_range != (RANGE in row):
        yield f"The filter {one.id} takes {'a Range' if one.is_range else 'what is Chosen'} and nothing else."
    elif one.is_range:
        low, high = row[RANGE]
        if (one.low is not None and low < one.low) or (one.high is not None and high > one.high):
            yield f"The filter {one.id} goes from {one.low} to {one.high}."
    elif one.choices and (unknown := [value for value in row[CHOSEN] if value not in one.choices]):
        some = ", ".join(f"{value} ({words})" for value, words in list(one.choices.items())[:MOST_NAMED])
        yield f"The filter {one.id} has no choice {', '.join(unknown)}. Some that it has: {some}."
