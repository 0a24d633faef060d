"""The probability of a correlation by chance. Uses scipy, which no domain may import."""

from scoring.score_statistics import Correlation


def chance_of(found: Correlation) -> float:
    """The probability of an r as far from 0 without a correlation: Student's t, n - 2 degrees of freedom."""
    from scipy.special import betainc  # noqa: PLC0415 - a third of a second, for some pages of researchers

    return float(betainc((found.of - 2) / 2, 0.5, 1 - found.squared))
