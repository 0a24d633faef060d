"""A test is one or several transactions of the product: each must lock its items by one statement."""

from collections.abc import Collection
from itertools import takewhile

import pytest
from django.db import connection, transaction

from hits.work.services import locking


def refuse_second_locks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(locking, "notes", notes_of_product)
    patch.setattr(locking, "refuse_second", refuse)


def notes_of_product() -> list[locking.LockedItems]:
    """Locks of the product's current transaction, which inside a test's own transaction is a savepoint."""
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
    """Count what happens in the transaction opened last as several transactions of the product."""
    transaction.get_connection(using).atomic_blocks[-1]._from_testcase = True
