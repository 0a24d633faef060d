"""A database as it was before some migration, for tests of what later ones do with its rows."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections
from django.db.migrations.executor import MigrationExecutor

Target = tuple[str, str]


@contextmanager
def former_database(targets: Iterable[Target]) -> Iterator[Any]:
    """Made by migrations, as far as that, and the models of then. `default` means this one meanwhile.

    Going forward from nothing takes seconds; bringing a finished database back and forth takes minutes.
    """
    usual = connections["default"]
    name = f"{usual.settings_dict['NAME']}_former"
    settings = {**usual.settings_dict, "NAME": name, "TEST": {**usual.settings_dict["TEST"], "NAME": name}}
    former = type(usual)(settings, "default")
    creation: Any = former.creation
    creation._create_test_db(verbosity=0, autoclobber=True)
    connections["default"] = former
    try:
        yield migrate(targets)
    finally:
        connections["default"] = usual
        former.close()
        creation._destroy_test_db(name, verbosity=0)


def migrate(targets: Iterable[Target]) -> Any:
    """The models of the state that was reached."""
    executor = MigrationExecutor(connections["default"])
    executor.migrate(list(targets))
    return executor.loader.project_state(list(targets)).apps
