from datetime import datetime
from pathlib import Path
from typing import Any

from crowd.winogavil.domain import WINOGAVIL_TIERS
from crowd.winogavil.queries.games import game_of
from crowd.winogavil.replaying.figures import Figures
from crowd.winogavil.replaying.recorded_rows import record
from crowd.winogavil.replaying.rows import ASSOCIATIONS, SOLUTIONS
from crowd.winogavil.replaying.rules import count_broken
from crowd.winogavil.replaying.scratch_database import staged
from hits.data.replays import Replay, Tell
from hits.data.services.recordings import account_of, open_study

AT_ONCE = 500


class WinogavilReplay(Replay):
    """Replay of the association game; each part is one transaction, and holds its associations whole."""

    family = "winogavil"
    files = (ASSOCIATIONS, SOLUTIONS)

    def replay(self, *, folder: Path, study: str, tell: Tell, now: datetime, **_: Any) -> dict[str, Any]:
        with staged(folder, tell=tell) as staging:
            target = open_study(name=study, bonus_rules=WINOGAVIL_TIERS)
            account, game = account_of(target), game_of(target)
            figures = Figures(table=target.rules, counts=staging.counts, threshold=game.selection_threshold)
            done, all_of_them = 0, len(staging)
            for some in staging.parts(size=AT_ONCE):
                made = record(some, study=target, account=account, now=now)
                for recording, association in zip(some, made, strict=True):
                    figures.counts.update(count_broken(recording, game=game))
                    figures.add(
                        association, candidates=len(recording.candidates), chosen=len(recording.chosen)
                    )
                done += len(some)
                tell("associations replayed", done, all_of_them)
        return figures.report()
