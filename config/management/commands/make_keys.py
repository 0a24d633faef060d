import os
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser

from config.environment import make_keys


class Command(BaseCommand):
    help = "Prints a fresh set of keys for the environment. Keep old keys behind new ones, after a comma."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--into",
            metavar="FOLDER",
            type=Path,
            help="write a file for each key instead, named as its variable in small letters",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        keys = {name: ",".join(values) for name, values in make_keys().items()}
        if options["into"]:
            _write(keys, folder=options["into"])
            self.stdout.write(f"{len(keys)} keys are in {options['into']}.")
            return
        for name, value in keys.items():
            self.stdout.write(f"{name}={value}")


def _write(keys: dict[str, str], *, folder: Path) -> None:
    """Write files that their owner alone can read. Raises CommandError rather than replace a key."""
    files = {folder / name.lower(): value for name, value in keys.items()}
    if there := [path.name for path in files if path.exists()]:
        raise CommandError(f"{folder} has {', '.join(there)} already, and a key is never replaced.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path, value in files.items():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{value}\n")
