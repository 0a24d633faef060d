"""The leaderboards with ten thousand players: queries and milliseconds of a whole request.

Run it from the top folder: python -m tests.bench.leaderboard
It fails where a page takes 50 ms or more. DATABASE_URL may name an empty database.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.bench.admin_pages import prepare

if TYPE_CHECKING:
    from crowd.winogavil.play.models import Player, WebGame

PLAYERS = int(os.environ.get("PLAYERS", "10000"))
ROUNDS = int(os.environ.get("ROUNDS", "100"))
MOST_MS = 50.0
FIRST, MIDDLE, LAST = "first page", "middle page", "last page"
Row = tuple[str, int, float, float, float]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        rows = measure()
    sys.stdout.write(table(rows))
    if any(row[2] >= MOST_MS for row in rows):
        sys.exit(1)


def measure() -> list[Row]:
    """Rows of each page: name, queries, milliseconds (median, 95th percentile), processor milliseconds."""
    from django.conf import settings  # noqa: PLC0415 - settings are made first
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from crowd.winogavil.play.services import accounts  # noqa: PLC0415
    from crowd.winogavil.play.site.session import COOKIE  # noqa: PLC0415

    player = _fill()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client(SERVER_NAME=urlsplit(settings.PLAY_URL).hostname or "")
    client.cookies[COOKIE] = accounts.sign_in(player=player, now=timezone.now())
    pages = {FIRST: 1, MIDDLE: PLAYERS // 100, LAST: 10**5}
    rows = [
        _observe(f"{kind}, {name}", client, f"/leaders/{kind}/?page={number}")
        for kind in ("creators", "solvers")
        for name, number in pages.items()
    ]
    return [*rows, _observe("own page", client, "/")]


def table(rows: list[Row]) -> str:
    lines = [
        f"{PLAYERS:,} players; median and 95th percentile of {ROUNDS}",
        "",
        "queries       ms   95 %   cpu ms  page",
    ]
    lines += [
        f"{queries:7}  {middle:7.1f}  {slow:5.1f}  {work:7.1f}  {name}"
        for name, queries, middle, slow, work in rows
    ]
    return "\n".join(lines) + "\n"


def _observe(name: str, client: Any, address: str) -> Row:
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    with CaptureQueriesContext(connection) as queries:
        answered = client.get(address)
    if answered.status_code != 200:
        raise RuntimeError(f"{address} answers {answered.status_code}.")
    asked = len(queries)
    times, work = [], []
    for _ in range(ROUNDS):
        began, worked = time.perf_counter(), time.process_time()
        client.get(address)
        times.append(1000 * (time.perf_counter() - began))
        work.append(1000 * (time.process_time() - worked))
    return name, asked, median(times), quantiles(times, n=20)[-1], median(work)


def _fill() -> "Player":
    """Create players nearly all of whom have a place. Returns the one in the middle."""
    from crowd.winogavil.play.models import Player, Standing  # noqa: PLC0415
    from tests.crowd.winogavil.play.table import make_game  # noqa: PLC0415

    game = make_game(picture_sets=0)
    players = Player.objects.bulk_create(_players(game), batch_size=500)
    Standing.objects.bulk_create(
        [_standing(player, chance=Random(number)) for number, player in enumerate(players)],
        batch_size=500,
    )
    _agree(game, players)
    return players[PLAYERS // 2]


def _players(game: "WebGame") -> "list[Player]":
    from crowd.winogavil.play.models import Player  # noqa: PLC0415
    from hits.core import crypto  # noqa: PLC0415
    from hits.identity.models.workers import Worker  # noqa: PLC0415
    from tests.factories import NOW  # noqa: PLC0415

    workers = Worker.objects.bulk_create(
        [
            Worker(
                account=game.account,
                external_id=f"WEB{number}",
                external_id_index=f"{number:064}",
                pseudonym=crypto.pseudonym(str(number)),
            )
            for number in range(PLAYERS)
        ],
        batch_size=500,
    )
    return [
        Player(game=game, worker=worker, name=f"Player {n}", name_key=f"player {n}", registered_at=NOW)
        for n, worker in enumerate(workers)
    ]


def _standing(player: "Player", *, chance: Random) -> Any:
    from crowd.winogavil.play import domain  # noqa: PLC0415
    from crowd.winogavil.play.models import Standing  # noqa: PLC0415
    from tests.factories import NOW  # noqa: PLC0415

    cues, solves = chance.randint(15, 200), chance.randint(15, 600)
    standing = Standing(player=player, game_id=player.game_id, cues=cues, solves=solves, checked_at=NOW)
    standing.worth = domain.TurnWorth(
        final_cues=cues,
        fool_sum=sum(chance.choice((0, 50, 67, 80, 100)) for _ in range(cues)),
        solvable_parts=sum(domain.PARTS * chance.randint(5, 9) // 9 for _ in range(cues)),
        final_solves=solves,
        jaccard_parts=sum(domain.PARTS * chance.randint(1, 3) // 3 for _ in range(solves)),
    )
    return standing


def _agree(game: "WebGame", players: "list[Player]") -> None:
    from crowd.winogavil.play.models import Consent  # noqa: PLC0415
    from tests.factories import NOW  # noqa: PLC0415

    text = game.consent_text
    if text is None:
        raise RuntimeError("The game has no consent text.")
    Consent.objects.bulk_create(
        [Consent(player=player, text=text, given_at=NOW) for player in players], batch_size=500
    )


if __name__ == "__main__":
    main()
