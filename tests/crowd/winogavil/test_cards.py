"""The cards of the game's page have one order, whichever module is loaded first."""

import pytest

from crowd.winogavil.admin import cards

pytestmark = pytest.mark.pure


def test_cards_stand_by_their_place_and_not_by_when_they_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "CARDS", [])
    monkeypatch.setattr(cards, "_places", [])
    first, second, third = cards.sets_card, cards.tests_card, cards.reports_card

    for place, card in ((30, third), (10, first), (20, second)):
        cards.add_card(card, place=place)

    listed = list(cards.CARDS)
    assert listed == [first, second, third]
