from crowd.winogavil.play.models.feedback import DailyFeedback
from crowd.winogavil.play.models.games import ConsentText, WebGame
from crowd.winogavil.play.models.players import Consent, Player, PlayerSession, Standing
from crowd.winogavil.play.models.practice import PracticeAsk, PracticeSet
from crowd.winogavil.play.models.surveys import Survey
from crowd.winogavil.play.models.turns import Turn

__all__ = [
    "Consent",
    "ConsentText",
    "DailyFeedback",
    "Player",
    "PlayerSession",
    "PracticeAsk",
    "PracticeSet",
    "Standing",
    "Survey",
    "Turn",
    "WebGame",
]
