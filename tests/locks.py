"""What a test does is one transaction of the product's, or several: each locks its items by one statement."""

from collections.abc import Collection
from itertools import takewhile

import pytest
from django.db import connection, transaction

from hits.work.services import locking


def refuse_second_locks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(locking, "notes", notes_of_product)
    patch.setattr(locking, "refuse_second", refuse)


def notes_of_product() -> list[locking.LockedItems]:
    """The test's own transaction holds those of the product, as its savepoints."""
    outer = len(
        list(takewhile(lambda block: getattr(block, "_from_testcase", False), connection.atomic_blocks))
    )
    inner = connection.savepoint_ids[outer - 1 :][:1] if outer else []
    found = [
        (ids, call) for ids, call, *_ in connection.run_on_commit if isinstance(call, locking.LockedItems)
    ]
    return [call for ids, call in found if not outer or set(inner) & ids]


def refuse(keys: Collection[int]) -> None:
    raise AssertionError(f"items {sorted(keys)} are locked by a second statement of one transaction")


def begin_world(using: str = "default") -> None:
    """The transaction that was opened last is the test's own: what is done in it is done in several."""
    transaction.get_connection(using).atomic_blocks[-1]._from_testcase = True
