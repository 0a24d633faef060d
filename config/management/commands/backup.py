from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.copies.making_copies import make_copy
from config.watching import last_backup


class Command(BaseCommand):
    help = (
        "Copies both databases, the pictures and, in the embedded form, the keys into one file, "
        "while everything runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a new file, or a folder, where it is named by the time")
        parser.add_argument(
            "--without-keys",
            action="store_true",
            help="leave the keys of the embedded form out; without keys.json nothing can be unsealed",
        )
        parser.add_argument(
            "--without-pictures",
            action="store_true",
            help="leave the pictures out, if they are copied otherwise",
        )

    def handle(self, *, file: Path, without_keys: bool, without_pictures: bool, **_: Any) -> None:
        path = file / f"crowd-{datetime.now(UTC):%Y%m%d-%H%M%S}.tar" if file.is_dir() else file
        manifest = make_copy(
            path.resolve(), with_keys=not without_keys, with_pictures=not without_pictures, say=self._say
        )
        last_backup.note()
        size = path.stat().st_size / 1e6
        self._say(
            f"{path}: {', '.join(manifest.databases)}, {len(manifest.pictures)} pictures, {size:.1f} MB."
        )
        if "keys.json" in manifest.files:
            self._say(
                "It holds the keys: anybody who has this file can read everything. Keep it just as safe."
            )
        else:
            self._say(
                "The keys are not in it. Keep them elsewhere: without them sealed columns cannot be read."
            )

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()
