from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config.copies.archive import check, opened
from config.copies.putting_back import put_back

DONE = "Done. Passwords, roles, tokens and erasures are those of the copy: repeat what was done since."
NEXT = {
    "default": "Each account stands still, so nothing is sent or paid, until a person has looked at the "
    f"comparison and let it go on: {settings.PUBLIC_URL}/admin/payments/put-back/",
    "marketplace": "Requesters hear of it with their next call. The list to pay workers by waits until an "
    f"operator has confirmed the payouts: {settings.MARKETPLACE_URL}/desk/",
}


class Command(BaseCommand):
    help = "Puts back what `backup` has copied. What is there is moved aside, and nothing of it is destroyed."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--check", action="store_true", help="read the whole copy, and change nothing")
        parser.add_argument(
            "--replace", action="store_true", help="also where there are tables: move them aside"
        )
        parser.add_argument(
            "--only", choices=list(settings.DATABASES), help="put back this database and leave the other"
        )
        parser.add_argument(
            "--other-keys", action="store_true", help="also where the old keys are gone for good"
        )

        parser.add_argument(
            "--although-running",
            action="store_true",
            help="also where something seems to run: you know that it does not use this database",
        )

    def handle(self, *, file: Path, only: str | None, **options: Any) -> None:
        if options["check"]:
            with opened(file) as (tar, manifest):
                check(tar, manifest)
            names = ", ".join(f"{alias} of {about.copied_at}" for alias, about in manifest.databases.items())
            self._say(f"Whole: {names}, {len(manifest.pictures)} pictures.")
            return
        done = put_back(
            file,
            aliases=[only] if only else list(settings.DATABASES),
            replace=options["replace"],
            other_keys=options["other_keys"],
            although_running=options["although_running"],
            say=self._say,
        )
        self._say("\n".join([DONE, *(NEXT[alias] for alias in done), "Now start the processes."]))

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()
