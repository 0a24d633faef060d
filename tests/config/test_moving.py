"""Modules that move are named anew in imports, in strings and in documents, and nothing else is touched."""

import pytest

from tests import moving

pytestmark = pytest.mark.pure
MOVES = {
    "hits.services.ledger": "hits.ledger.services",
    "hits.services.owing": "hits.payments.accrual",
    "hits.models.bonuses": "hits.payments.models",
}
DEFINED = {"hits.models": {"Bonus": "hits.models.bonuses", "Batch": "hits.models.studies"}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from hits.services.ledger import post", "from hits.ledger.services import post"),
        ("from hits.services import ledger", "from hits.ledger import services as ledger"),
        ("from hits.services import ledger as books", "from hits.ledger import services as books"),
        ("from hits.models import Bonus", "from hits.payments.models import Bonus"),
        ("from hits.models import Bonus as Money", "from hits.payments.models import Bonus as Money"),
        (
            "    from hits.models import Bonus  # noqa: X1",
            "    from hits.payments.models import Bonus  # noqa: X1",
        ),
        (
            "from hits.models import (\n    Batch,\n    Bonus,\n)\nx = 1",
            "from hits.models import Batch\nfrom hits.payments.models import Bonus\nx = 1",
        ),
        ("from hits.models import Other", "from hits.models import Other"),
        (
            'from hits.services import owing\nx = owing.owe(a.owing, owing=f"{owing.RULE} owing")',
            'from hits.payments import accrual\nx = accrual.owe(a.owing, owing=f"{accrual.RULE} owing")',
        ),
        (
            "from hits.services import owing\nowing.owe()\ndef f(owing): pass",
            "from hits.payments import accrual as owing\nowing.owe()\ndef f(owing): pass",
        ),
        ("from . import ledger\nimport os", "from . import ledger\nimport os"),
    ],
)
def test_imports_name_the_new_place(before: str, after: str) -> None:
    body = "if True:\n" if before.startswith(" ") else ""

    assert moving.rename_imports(body + before, MOVES, DEFINED) == body + after


def test_words_are_named_anew_as_wholes_and_the_longest_first() -> None:
    moves = {"hits.services.runs": "hits.payments.runs", "hits.services.run": "hits.payments.run"}
    told = (
        "`hits.services.runs.pay`, hits/services/runs.py, hits/services/run.py; hits.services.running, "
        "my.hits.services.run"
    )

    assert moving.rename_words(told, moves) == (
        "`hits.payments.runs.pay`, hits/payments/runs.py, hits/payments/run.py; hits.services.running, "
        "my.hits.services.run"
    )


def test_moves_of_one_room_are_read() -> None:
    ledger, work = "hits.tasks hits.ledger.x", "hits.gone hits.work.gone\nhits.apps hits.work.apps"
    text = f"# Why.\n\n# ledger\n{ledger}\n\n# work\n{work}"

    assert moving.read_moves(text, room="ledger") == {"hits.tasks": "hits.ledger.x"}
    assert moving.read_moves(text, room="work") == {"hits.apps": "hits.work.apps"}
