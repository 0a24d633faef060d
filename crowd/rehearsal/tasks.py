from django.utils import timezone

from crowd.rehearsal.services import rehearsal_turns
from hits.common.sweeps import sweep


@sweep("rehearsal.play_rehearsals", rest_s=1, due_at=rehearsal_turns.next_turn)
def play_rehearsals() -> None:
    rehearsal_turns.play_rehearsals(now=timezone.now())
