"""Scores as people read them who are paid, or let in, by them."""

from decimal import Decimal
from fractions import Fraction

from django.utils.formats import number_format


def percentage(share: Fraction) -> str:
    """Return it with at most two decimals, in the language of the page: 66.66 % for two thirds.

    It is never rounded up, so that it never reads like a bound that the score has not reached.
    """
    hundredths = share.numerator * 10_000 // share.denominator
    places = 0 if hundredths % 100 == 0 else 2
    return f"{number_format(Decimal(hundredths) / 100, decimal_pos=places)} %"
