#!/usr/bin/env python
import gc
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if "".join(sys.argv[1:2]).startswith("marketplace"):  # its own commands, and what they start
        os.environ.setdefault("CROWD_MARKETPLACE_ALONE", "true")
    gc.disable()  # loaded modules stay, and collecting garbage among them takes a third of the start
    from django.core.management import BaseCommand, ManagementUtility

    class Loading(ManagementUtility):
        def fetch_command(self, subcommand: str) -> BaseCommand:
            """Return the command, and collect garbage again: all apps are loaded by then."""
            command = super().fetch_command(subcommand)
            gc.freeze()
            gc.enable()
            return command

    Loading(sys.argv).execute()


if __name__ == "__main__":
    main()
