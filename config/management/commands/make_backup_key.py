from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.copies.encryption import make_key_file


class Command(BaseCommand):
    help = "Makes the key of encrypted copies: the private half in a new file, the public half printed."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a new file; keep it away from the server and its copies")

    def handle(self, *, file: Path, **_: Any) -> None:
        public = make_key_file(file)
        self.stdout.write(f"CROWD_BACKUP_RECIPIENTS={public}")
        self.stderr.write(
            f"Set this where `backup` runs. {file} opens the copies: keep it in two places away from the "
            "server, and on no machine that can be reached from outside."
        )
