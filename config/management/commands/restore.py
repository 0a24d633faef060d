from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.copies.archive import check, opened
from config.copies.copy_records import note_drill
from config.copies.copy_sources import Source, found_copy
from config.copies.drill import drill
from config.copies.putting_back import check_stored, put_back

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
        parser.add_argument(
            "source", help="a copy, on a disk or s3://BUCKET/FOLDER/NAME; or its folder, for the newest one"
        )
        parser.add_argument(
            "--key-file",
            type=Path,
            help="the private key of an encrypted copy, in place of CROWD_BACKUP_KEY_FILE",
        )
        parser.add_argument("--check", action="store_true", help="read the whole copy, and change nothing")
        parser.add_argument(
            "--drill",
            action="store_true",
            help="put it into scratch databases, examine it there, and change nothing here",
        )
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

    def handle(self, *, source: str, key_file: Path | None, **options: Any) -> None:
        with found_copy(source, key_file=key_file) as copy:
            if options["check"]:
                self._check(copy)
            elif options["drill"]:
                self._drill(copy, only=options["only"])
            else:
                self._put_back(copy, **options)

    def _check(self, copy: Source) -> None:
        with opened(copy.path) as (tar, manifest):
            check(tar, manifest)
            check_stored(copy, manifest)
        names = ", ".join(f"{alias} of {about.copied_at}" for alias, about in manifest.databases.items())
        self._say(f"Whole: {copy.address}: {names}, {len(manifest.pictures)} pictures.")

    def _drill(self, copy: Source, *, only: str | None) -> None:
        self._say(f"The copy is {copy.address}.")
        failed = 0
        for finding in drill(copy, aliases=[only] if only else list(settings.DATABASES)):
            failed += not finding.ok
            advice = f" -> {finding.advice}" if finding.advice else ""
            self._say(f"{'ok  ' if finding.ok else 'FAIL'} {finding.name:<22} {finding.saw}{advice}")
        if failed:
            raise CommandError(f"This copy cannot be relied on: {failed} checks failed.")
        note_drill(copy.address)
        self._say("This copy can be relied on.")

    def _put_back(self, copy: Source, *, only: str | None, **options: Any) -> None:
        self._say(f"The copy is {copy.address}.")
        done = put_back(
            copy,
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
