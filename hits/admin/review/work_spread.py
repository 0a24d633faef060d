"""A work's time and scores beside those of its batch: a strip for each, and its place in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

from django.core.cache import cache

from hits import families
from hits.admin.batches.batch_charts import duration
from hits.payments.queries.recorded_scores import Recorded, recorded_scores
from hits.review.queries.batch_spread import Standing, latest_times, standing_of
from hits.work.domain import effective_seconds
from hits.work.models.assignments import Assignment

# With fewer others, a place among them says nothing.
FEWEST = 5
# The others of a batch are read again after this long.
REMEMBERED_S = 60
BARS = 20
# A strip's edges in a picture of 340 by 60, the size that its template sets.
LEFT, RIGHT, TOP, BOTTOM = 4, 336, 14, 40
TIME = ""
WHOLE = 100


@dataclass(frozen=True, kw_only=True)
class StripBar:
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class Strip:
    """The others as bars, and the place of the work's own value above them."""

    bars: Sequence[StripBar]
    own_x: int
    low: str
    high: str


@dataclass(frozen=True, kw_only=True)
class Spread:
    """One figure of a work: its value, its place among the others, and a strip if they are enough."""

    name: str
    value: str
    place: str
    strip: Strip | None


Figures = Mapping[str, Mapping[int, float]]


def spreads_of(work: Assignment) -> list[Spread]:
    """The work's time, and its mean score by each measure, among the latest of its batch."""
    seconds = effective_seconds(worked_s=work.worked_s, active_s=work.active_s)
    own: dict[str, float | Fraction] = {} if seconds is None else {TIME: seconds}
    own.update(mean_scores(recorded_scores([work.pk])).get(work.pk, {}))
    beside = _figures_of(work.hit.batch_id) if own else {}
    return [
        _spread(name, value, [one for key, one in beside.get(name, {}).items() if key != work.pk])
        for name, value in own.items()
    ]


def seconds_of_others(work: Assignment) -> list[float]:
    """The times of the latest works of its batch, without its own."""
    return [seconds for key, seconds in _figures_of(work.hit.batch_id)[TIME].items() if key != work.pk]


def mean_scores(recorded: Recorded) -> dict[int, dict[str, Fraction]]:
    """The mean of each work's items, measure by measure."""
    return {key: _means(items) for key, items in recorded.items()}


def percent(score: float | Fraction) -> str:
    """A score in whole percent, rounded down so that it never reads like a bound it has not reached."""
    return f"{int(100 * score)} %"


def _means(items: Sequence[Mapping[str, Fraction]]) -> dict[str, Fraction]:
    found: dict[str, list[Fraction]] = {}
    for scores in items:
        for measure, value in scores.items():
            found.setdefault(measure, []).append(value)
    return {measure: sum(values, Fraction(0)) / len(values) for measure, values in sorted(found.items())}


def _figures_of(batch_id: int) -> Figures:
    """The latest works' figures, by name and work: read once a minute, not for every work."""
    key = f"review-spread:{batch_id}"
    found: Figures | None = cache.get(key)
    if found is None:
        found = _read_figures(batch_id)
        cache.set(key, found, REMEMBERED_S)
    return found


def _read_figures(batch_id: int) -> Figures:
    times = latest_times(batch_id)
    figures: dict[str, dict[int, float]] = {
        TIME: {key: seconds for key, seconds in times.items() if seconds is not None}
    }
    for key, means in mean_scores(recorded_scores(times.keys())).items():
        for measure, mean in means.items():
            figures.setdefault(measure, {})[key] = float(mean)
    return figures


def _spread(name: str, own: float | Fraction, others: list[float]) -> Spread:
    is_time = name == TIME
    value = duration(float(own)) if is_time else percent(own)
    title = "Time taken" if is_time else families.measure_name(name).capitalize()
    if len(others) < FEWEST:
        return Spread(name=title, value=value, place="too few others to compare it with", strip=None)
    more, less = ("slower", "faster") if is_time else ("higher", "lower")
    # Those of the others are rounded the same way.
    own = float(own)
    place = _place(standing_of(own, others), more=more, less=less)
    strip = _draw_times(own, others) if is_time else _draw(own, others, top=1, low="0 %", high="100 %")
    return Spread(name=title, value=value, place=place, strip=strip)


def _place(standing: Standing, *, more: str, less: str) -> str:
    word, share = max((less, standing.above), (more, standing.below), key=itemgetter(1))
    if not share:
        return f"about the same as the {standing.others} others"
    part = "all" if share == WHOLE else f"{share} % of"
    said = f"{word} than {part} {standing.others} others"
    # Of many equals the best would read as the middle.
    beyond = standing.above if word == more else standing.below
    return said if beyond or share == WHOLE else f"{said}, and none is {word}"


def _draw_times(own: float, others: list[float]) -> Strip:
    """Times up to twice the slowest of nine in ten: one left open overnight would flatten the rest."""
    slow = sorted(others)[9 * (len(others) - 1) // 10]
    top = max(2 * slow, 1)
    high = duration(top)
    return _draw(own, others, top=top, low="0", high=f"{high} or more" if max(own, *others) > top else high)


def _draw(own: float, others: list[float], *, top: float, low: str, high: str) -> Strip:
    counts = [0] * BARS
    for one in others:
        counts[min(int(BARS * one / top), BARS - 1)] += 1
    width, most = (RIGHT - LEFT) // BARS, max(counts)
    heights = [-(-(BOTTOM - TOP) * count // most) for count in counts]
    bars = [
        StripBar(x=LEFT + number * width + 1, y=BOTTOM - height, width=width - 2, height=height)
        for number, height in enumerate(heights)
        if height
    ]
    own_x = LEFT + round(width * BARS * min(own / top, 1))
    return Strip(bars=bars, own_x=own_x, low=low, high=high)
