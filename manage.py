#!/usr/bin/env python
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if "".join(sys.argv[1:2]).startswith("marketplace"):  # its own commands, and what they start
        os.environ.setdefault("CROWD_MARKETPLACE_ALONE", "true")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
