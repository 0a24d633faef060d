"""A bonus in the worker's words, made of the figures that are kept with it. The caller sets the language."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from hits.common.currencies import in_money
from hits.common.percentages import percentage

Figures = Mapping[str, Any]
MINUTE_S = 60
SUMS = ("owed_before", "reward", "other_bonuses", "lacking", "hourly", "at_most")


def reason_of(rule: str, figures: Figures, *, currency: str) -> str:
    """One or two sentences: what the worker did, and what it earned."""
    words = {"rule": rule, **{key: value for key, value in figures.items() if isinstance(value, str | int)}}
    words |= {name: in_money(figures[name], currency) for name in SUMS if figures.get(name) is not None}
    words["currency"] = currency
    reason = REASONS[figures["kind"]](words, figures)
    if "owed_before" in figures:
        reason += " " + _("This comes on top of the %(owed_before)s of before.") % words
    return reason


def steps_of(figures: Figures, *, currency: str) -> list[str]:
    """How the amount came about, line by line; empty for kinds whose reason says it all."""
    return [
        _("Question %(number)d: %(score)s, %(amount)s")
        % {"number": number, "score": _score(step, figures), "amount": in_money(step["amount"], currency)}
        for number, step in enumerate(figures.get("items", ()), start=1)
    ]


def score_in_words(score: str | None) -> str:
    return _("no score") if score is None else percentage(Fraction(score))


def _condition(words: dict[str, Any], figures: Figures) -> str:
    return _("Bonus “%(rule)s”: your answers scored at least %(at_least)d %% (%(measure)s).") % words


def _flat(words: dict[str, Any], figures: Figures) -> str:
    return _("Bonus “%(rule)s” for work that was approved.") % words


def _per_item(words: dict[str, Any], figures: Figures) -> str:
    words |= _counted(figures["items"])
    return (
        _("Bonus “%(rule)s”: %(earning)d of %(count)d answers scored at least %(at_least)d %% (%(measure)s).")
        % words
    )


def _tiers(words: dict[str, Any], figures: Figures) -> str:
    words |= _counted(figures["items"])
    words["steps"] = ", ".join(
        f"{_score(step, figures)}: {in_money(step['amount'], words['currency'])}" for step in figures["items"]
    )
    return _("Bonus “%(rule)s” by score (%(measure)s), for each question: %(steps)s.") % words


def _wage(words: dict[str, Any], figures: Figures) -> str:
    minutes, seconds = divmod(figures["seconds"] or 0, MINUTE_S)
    words |= {"minutes": minutes, "seconds": seconds}
    if figures["lacking"] == figures["amount"]:
        reason = _(
            "Bonus “%(rule)s”: your work took %(minutes)d min %(seconds)d s. With the reward of %(reward)s "
            "and other bonuses of %(other_bonuses)s this lifts your pay to %(hourly)s an hour."
        )
    else:
        reason = _(
            "Bonus “%(rule)s”: your work took %(minutes)d min %(seconds)d s. With the reward of %(reward)s "
            "and other bonuses of %(other_bonuses)s, %(lacking)s were missing to %(hourly)s an hour; this "
            "rule pays at most %(at_most)s."
        )
    return reason % words


def _extra(words: dict[str, Any], figures: Figures) -> str:
    return _("Bonus “%(rule)s”, decided by a person.") % words


REASONS: Mapping[str, Callable[[dict[str, Any], Figures], str]] = {
    "condition": _condition,
    "flat": _flat,
    "per_item": _per_item,
    "tiers": _tiers,
    "wage": _wage,
    "extra": _extra,
}


def _counted(steps: Sequence[Figures]) -> dict[str, int]:
    return {"count": len(steps), "earning": sum(step["amount"] != "0.00" for step in steps)}


def _score(step: Figures, figures: Figures) -> str:
    """A step's score in percent, with the score that opens the gate if the rule has one."""
    if "when" not in figures:
        return score_in_words(step["score"])
    gate = f"{figures['when']['measure']} {score_in_words(step['when'])}"
    return f"{score_in_words(step['score'])} ({gate})"
