from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.copies.copy_names import name_by_time
from config.copies.copy_places import find_place
from config.copies.copy_records import note_copy
from config.copies.encryption import read_recipients
from config.copies.making_copies import Wish, make_copy
from config.copies.old_copies import remove_old


class Command(BaseCommand):
    help = (
        "Copies both databases, the pictures and, in the embedded form, the keys into one file, "
        "while everything runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "target",
            help="a folder or s3://BUCKET/FOLDER, where it is named by the time; or a new file there",
        )
        parser.add_argument(
            "--recipient",
            action="append",
            default=[],
            metavar="PUBLIC_KEY",
            help="encrypt it for this key, of make_backup_key, in place of CROWD_BACKUP_RECIPIENTS",
        )
        parser.add_argument(
            "--incremental",
            action="store_true",
            help="keep the pictures in a store beside the copies, to which only new ones are added",
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="NUMBER",
            help="afterwards, remove all but so many of the newest copies there",
        )
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

    def handle(self, *, target: str, **options: Any) -> None:
        place, name = find_place(target)
        _refuse(name, **options)
        wish = Wish(
            with_keys=not options["without_keys"],
            with_pictures=not options["without_pictures"],
            is_incremental=options["incremental"],
            recipients=read_recipients(options["recipient"]),
        )
        name = name or name_by_time(is_encrypted=bool(wish.recipients), is_incremental=wish.is_incremental)
        manifest, size = make_copy(place, name, wish=wish, say=self._say)
        self._say(
            f"{place.address(name)}: {', '.join(manifest.databases)}, {len(manifest.pictures)} pictures, "
            f"{size / 1e6:.1f} MB."
        )
        self._say(_advice(with_keys="keys.json" in manifest.files, is_encrypted=bool(wish.recipients)))
        if not note_copy(place.address(name)):
            self._say("The database has no audit trail in which this could be noted.")
        if options["keep"]:
            remove_old(place, keep=options["keep"], say=self._say)

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()


def _refuse(name: str, *, incremental: bool, keep: int | None, **_: Any) -> None:
    """Raise CommandError for what could not be done, before anything is copied."""
    if keep is not None and keep < 1:
        raise CommandError("--keep is the number of copies that stay: at least 1.")
    if name and (incremental or keep):
        raise CommandError("With --incremental or --keep, name a folder or s3://BUCKET/FOLDER, and no file.")


def _advice(*, with_keys: bool, is_encrypted: bool) -> str:
    if not with_keys:
        return "The keys are not in it. Keep them elsewhere: without them sealed columns cannot be read."
    if is_encrypted:
        return "It holds the keys, and is encrypted: whoever has the private key can read everything."
    return "It holds the keys: anybody who has this file can read everything. Keep it just as safe."
