from crowd.winogavil.play.services import letters, player_figures, practice_rounds, retention
from crowd.winogavil.play.services.accounts import forget_sessions
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winogavil.count_turns", rest_s=10)
def count_turns() -> None:
    player_figures.count_turns(now=clock.now())


@sweep("winogavil.recheck_standings", rest_s=60, due_at=player_figures.next_check)
def recheck_standings() -> None:
    player_figures.recheck_standings(now=clock.now())
    player_figures.count_models(now=clock.now())


@sweep("winogavil.answer_practice", rest_s=0.05, due_at=practice_rounds.next_practice, queue="rival")
def answer_practice() -> None:
    practice_rounds.answer_practice(now=clock.now())


@sweep("winogavil.send_feedback", rest_s=300, due_at=letters.next_feedback, acts=True)
def send_feedback() -> None:
    letters.send_feedback(now=clock.now())


@sweep("winogavil.tidy_play", rest_s=3600, due_at=retention.next_tidying)
def tidy_play() -> None:
    practice_rounds.forget_practice(now=clock.now())
    forget_sessions(now=clock.now())
