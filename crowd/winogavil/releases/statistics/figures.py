"""Tallies as tables: rounded here, and nowhere before."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from crowd.winogavil.releases.domain import (
    ALL,
    BASELINE,
    DIGITS,
    GROUPS,
    PRINTED_RANDOM,
    Mean,
    deviation,
    is_in,
    per_cent,
    random_expectation,
)
from crowd.winogavil.releases.statistics.tallies import Agreement, Creator, Scores, Tallies

SHOWN_GROUPS = (*GROUPS, ALL)
MOST_WORDS = 100
# Other selection thresholds to compare with the study's own, in per cent.
THRESHOLDS = (50, 60, 70, 80, 90, 100)
Table = list[dict[str, Any]]


def figures(
    tallies: Tallies, *, pseudonyms: Mapping[int, str], baseline: Tallies | None = None
) -> dict[str, Table]:
    """Tables of the tallies, ready for JSON; percentages are numbers with one decimal.

    `baseline`: the tallies of instances that stand in a row of their own.
    """
    apart = [baseline] if baseline else []
    creators = {group: _creators_of(tallies, group) for group in SHOWN_GROUPS}
    solvers = {group: _solvers_of(tallies, group) for group in SHOWN_GROUPS}
    return {
        "sizes": [
            *(_size(tallies, group) for group in SHOWN_GROUPS),
            *({**_size(one, ALL), "candidates": BASELINE} for one in apart),
        ],
        "thresholds": _thresholds(tallies),
        "shapes": _shapes(tallies),
        "people": [_people(group, creators[group], solvers[group]) for group in SHOWN_GROUPS],
        "creators": _creators(creators, pseudonyms),
        "solvers": _solvers(solvers, pseudonyms),
        "agreement": [
            *(_agreement(tallies, group) for group in SHOWN_GROUPS),
            *({**_agreement(one, ALL), "candidates": BASELINE} for one in apart),
        ],
        "cues": _cues(tallies),
        "words": [{"cue": word, "associations": times} for word, times in _most_common(tallies.cues.words)],
    }


def _size(tallies: Tallies, group: str) -> dict[str, Any]:
    made, final, selected, random = Scores(), 0, 0, Fraction(0)
    for (size, k), shape in tallies.shapes.items():
        if is_in(size, group):
            made.merge(shape.made)
            final, selected = final + shape.final, selected + shape.selected.count
            random += random_expectation(size, k) * shape.made.count
    return {
        "candidates": group,
        "made": made.count,
        "final": final,
        "selected": selected,
        "model": _share(made.model),
        "human": _share(made.human),
        "random": _number(random / made.count if made.count else None),
    }


def _thresholds(tallies: Tallies) -> Table:
    """Rows that say what other thresholds would select; one of them is the study's own."""
    final, rows = tallies.means.total(), []
    means = {Fraction(*mean): times for mean, times in tallies.means.items()}
    for threshold in sorted({*THRESHOLDS, tallies.threshold}):
        kept = {mean: times for mean, times in means.items() if 100 * mean >= threshold}
        selected = sum(kept.values())
        total = sum((mean * times for mean, times in kept.items()), Fraction(0))
        rows.append(
            {
                "threshold": threshold,
                "selected": selected,
                "share": _number(Fraction(selected, final) if final else None),
                "human": _number(total / selected if selected else None),
                "is_own": threshold == tallies.threshold,
            }
        )
    return rows


def _shapes(tallies: Tallies) -> Table:
    return [
        {
            "candidates": size,
            "chosen": k,
            "made": shape.made.count,
            "selected": shape.selected.count,
            "human": _share(shape.selected.human),
            "model": _share(shape.selected.model),
            "fool": _rest(shape.selected.model),
            "random": _number(random_expectation(size, k)),
            "random_printed": PRINTED_RANDOM.get(size),
        }
        for (size, k), shape in sorted(tallies.shapes.items())
    ]


def _creators_of(tallies: Tallies, group: str) -> dict[int, Creator]:
    found: defaultdict[int, Creator] = defaultdict(Creator)
    for (person, size), creator in tallies.creators.items():
        if is_in(size, group):
            found[person].merge(creator)
    return found


def _solvers_of(tallies: Tallies, group: str) -> dict[int, Mean]:
    found: defaultdict[int, Mean] = defaultdict(Mean)
    for (person, size), mean in tallies.solvers.items():
        if is_in(size, group):
            found[person].merge(mean)
    return found


def _people(group: str, creators: Mapping[int, Creator], solvers: Mapping[int, Mean]) -> dict[str, Any]:
    """Row of averages in which each person counts once, however much they did."""
    model = _mean_of(creator.made.model for creator in creators.values())
    return {
        "candidates": group,
        "creators": len(creators),
        "associations_each": _average(creator.made.count for creator in creators.values()),
        "fool": _number(None if model is None else 1 - model),
        "solvable": _number(_mean_of(creator.made.human for creator in creators.values())),
        "solvers": len(solvers),
        "answers_each": _average(mean.count for mean in solvers.values()),
        "jaccard": _number(_mean_of(solvers.values())),
    }


def _creators(found: Mapping[str, Mapping[int, Creator]], pseudonyms: Mapping[int, str]) -> Table:
    """Rows of creators; those who made most come first."""
    rows = []
    for person in found[ALL]:
        row: dict[str, Any] = {"creator": pseudonyms[person]}
        for group in (ALL, *GROUPS):
            creator, tail = found[group].get(person, Creator()), _tail(group)
            row |= {
                f"made{tail}": creator.made.count,
                f"selected{tail}": creator.selected,
                f"fool{tail}": _rest(creator.made.model),
                f"solvable{tail}": _share(creator.made.human),
            }
        rows.append(row)
    return sorted(rows, key=lambda row: (-row["made"], row["creator"]))


def _solvers(found: Mapping[str, Mapping[int, Mean]], pseudonyms: Mapping[int, str]) -> Table:
    rows = []
    for person in found[ALL]:
        row: dict[str, Any] = {"solver": pseudonyms[person]}
        for group in (ALL, *GROUPS):
            mean = found[group].get(person, Mean())
            row |= {f"answers{_tail(group)}": mean.count, f"jaccard{_tail(group)}": _share(mean)}
        rows.append(row)
    return sorted(rows, key=lambda row: (-row["answers"], row["solver"]))


def _agreement(tallies: Tallies, group: str) -> dict[str, Any]:
    agreement = Agreement()
    for size, found in tallies.agreement.items():
        if is_in(size, group):
            agreement.merge(found)
    author = agreement.author
    return {
        "candidates": group,
        "associations": agreement.within.total(),
        "answers": author.count,
        "author_mean": _number(author.mean),
        "author_std": _number(author.deviation),
        "within_std": _number(_mean_deviation(agreement.within)),
        "pairs_mean": _number(agreement.pairs.mean),
        "pairs_std": _number(agreement.pairs.deviation),
        "together_mean": _number(agreement.together.mean),
        "together_std": _number(agreement.together.deviation),
    }


def _cues(tallies: Tallies) -> Table:
    cues = tallies.cues
    share = Fraction(cues.different, cues.sets) if cues.sets else None
    return [
        {
            "selected": cues.words.total(),
            "distinct": len(cues.words),
            "sets_of_several_creators": cues.sets,
            "sets_where_cues_differ": cues.different,
            "share_where_cues_differ": _number(share),
        }
    ]


def _most_common(words: Counter[str]) -> Sequence[tuple[str, int]]:
    return sorted(words.items(), key=lambda found: (-found[1], found[0]))[:MOST_WORDS]


def _mean_deviation(within: Counter[tuple[tuple[int, int], ...]]) -> Decimal | None:
    """Deviation among the solvers of one association, on average over associations."""
    if not within:
        return None
    total = sum(
        (deviation(Fraction(*share) for share in shares) * times for shares, times in within.items()),
        Decimal(0),
    )
    return (total / within.total()).quantize(Decimal(1).scaleb(-DIGITS // 2))


def _mean_of(means: Iterable[Mean]) -> Fraction | None:
    known = [value for mean in means if (value := mean.value) is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def _average(counts: Iterable[int]) -> float | None:
    found = list(counts)
    return round(sum(found) / len(found), 1) if found else None


def _share(mean: Mean) -> float | None:
    return _number(mean.value)


def _rest(mean: Mean) -> float | None:
    """100 minus a model's mean, in percent."""
    return _number(None if mean.value is None else 1 - mean.value)


def _number(value: Fraction | Decimal | None) -> float | None:
    rounded = per_cent(value)
    return None if rounded is None else float(rounded)


def _tail(group: str) -> str:
    """Suffix of a column's name: "5 & 6" becomes _5_6."""
    return "" if group == ALL else f"_{group.replace(' & ', '_')}"
