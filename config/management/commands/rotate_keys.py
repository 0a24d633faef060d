import os
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser

from config import key_rotation
from config.key_rotation import count_old, keys_of_settings, seal_anew, sealed_columns

SIGNED = (
    "What is only signed ends by itself under the old keys: sign-ins after 14 days, links of invitations "
    "after 30, the links in e-mails to workers that stop them after 400. A page that is open when an old key "
    "goes has to be loaded again."
)


class Command(BaseCommand):
    help = "Rotates keys: adds a new first one; then --rows, then --forget. docs/settings.md has each step."

    def add_arguments(self, parser: CommandParser) -> None:
        steps = parser.add_mutually_exclusive_group()
        steps.add_argument("--rows", action="store_true", help="seal what is under an older key anew")
        steps.add_argument("--look", action="store_true", help="only say what is under an older key")
        steps.add_argument("--forget", action="store_true", help="drop the older keys, if no row needs them")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rows"]:
            self._seal()
        elif options["look"]:
            self._look()
        elif options["forget"]:
            self._forget()
        else:
            self._add()

    def _add(self) -> None:
        if key_rotation.has_old_keys():
            raise CommandError(
                "There is an older key already: end that rotation first, by --rows and --forget."
            )
        self._keep(key_rotation.new_first_keys(keys_of_settings()))
        self.stdout.write(
            f"{key_rotation.KEPT} stays: pseudonyms and what finds workers must never change.\n"
            "Next: start every process anew, so that all of them read the new keys; then rotate_keys --rows."
        )

    def _seal(self) -> None:
        for column in sealed_columns():
            self.stdout.write(f"{column}: {seal_anew(column)} sealed anew")
        self._look()

    def _look(self) -> bool:
        """Say what is under an older key; tell whether nothing is."""
        old = {str(column): count for column in sealed_columns() if (count := count_old(column))}
        for name, count in old.items():
            self.stdout.write(f"{name}: {count} not under the first key")
        if not old:
            self.stdout.write("No row needs an older key: rotate_keys --forget drops them.\n" + SIGNED)
        return not old

    def _forget(self) -> None:
        if not self._look():
            raise CommandError("Rows still need an older key: run rotate_keys --rows first.")
        self._keep(key_rotation.without_old(keys_of_settings()))
        self.stdout.write("Start every process anew. Copies made before still need the keys of then.")

    def _keep(self, keys: dict[str, list[str]]) -> None:
        """Write to keys.json what came from there, and print what is to be set in the environment."""
        path = settings.DATA_DIR / "keys.json"
        kept = key_rotation.read_kept(path) if settings.EMBEDDED and path.exists() else {}
        by_file = {name: keys[name] for name in kept if name in keys and not os.environ.get(name)}
        if by_file:
            key_rotation.write_kept(path, {**kept, **by_file})
            self.stdout.write(f"Written to {path}: {', '.join(by_file)}")
        for name in keys.keys() - by_file.keys() - {key_rotation.KEPT}:
            self.stdout.write(f"Set {name}={','.join(keys[name])}")
