from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from hits.core.errors import CrowdError
from hits.datasets.papers import load_library

PLACE = Path(__file__).parents[2] / "static/hits/vega/vega.js"
# The bundle includes the interpreter: without it the library compiles expressions, which the CSP forbids.
GIVEN = "window.vegaEmbed = vegaEmbed;"


class Command(BaseCommand):
    help = "Writes Vega-Lite and what it needs as one static file, of the versions in vl-convert-python."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            library = load_library()
        except CrowdError as error:
            raise CommandError(str(error)) from error
        text = library.javascript_bundle(GIVEN)
        PLACE.write_text(text)
        versions = (
            f"Vega {library.get_vega_version()}, Vega-Lite {library.get_vegalite_versions()[-1]}, "
            f"Vega-Embed {library.get_vega_embed_version()}"
        )
        self.stdout.write(f"{versions}: {len(text):,} characters. LICENSE.txt beside it names them too.")
