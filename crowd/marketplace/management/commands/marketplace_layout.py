from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Layout
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.parameter_validation import UNSTORABLE
from crowd.marketplace.services.requesters import save_layout


class Command(BaseCommand):
    help = "Makes a HIT layout from a file, or replaces the one of that name. Prints its id."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the page, in UTF-8")
        parser.add_argument("--requester", required=True, help="name of the requester who owns the layout")
        parser.add_argument("--name", help="its name (default: that of the file)")
        parser.add_argument("--frame-height", type=int, default=0, help="in pixels; 0 for automatic height")

    def handle(self, *args: Any, **options: Any) -> None:
        requester = Requester.objects.filter(name=options["requester"]).first()
        if not requester:
            raise CommandError(f"There is no requester named {options['requester']}.")
        name = options["name"] or options["file"].stem
        longest = Layout._meta.get_field("name").max_length or 0
        if not 0 < len(name) <= longest:
            raise CommandError(f"A layout's name has at most {longest} characters.")
        if not 0 <= options["frame_height"] <= 10_000:
            raise CommandError("--frame-height is between 0 and 10000.")
        try:
            layout = save_layout(
                requester_id=requester.pk,
                name=name,
                html=_read(options["file"]),
                frame_height=options["frame_height"],
                now=timezone.now(),
            )
        except RuleBroken as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(layout.external_id)


def _read(path: Path) -> str:
    try:
        html = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    if UNSTORABLE.search(html) or not html.strip():
        raise CommandError(f"{path} is empty, or is not text.")
    return html
