"""Figures of several runs as one: the mean, and the least and the greatest that was found."""

from collections.abc import Iterable, Mapping, Sequence

Spread = dict[str, float]


def spread_of(values: Iterable[float]) -> Spread | None:
    """The spread of these values; None without any."""
    found = list(values)
    if not found:
        return None
    mean = round(sum(found) / len(found), 4)
    return {"mean": mean, "least": round(min(found), 4), "most": round(max(found), 4)}


def spreads_by_key(runs: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """The spread of each key's values; a run without the key counts as nothing there."""
    keys = sorted({key for run in runs for key in run})
    return {key: spread for key in keys if (spread := spread_of(run.get(key, 0) for run in runs))}


def spreads_of_known(runs: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """The spread of each key's values over the runs that have it, in the order of the keys."""
    keys = dict.fromkeys(key for run in runs for key in run)
    return {key: spread for key in keys if (spread := spread_of(run[key] for run in runs if key in run))}


def error_of(forecast: float, actual: float) -> float | None:
    """How far a forecast is off, as a share of what came; None where nothing came."""
    return None if not actual else round((forecast - actual) / actual, 4)
