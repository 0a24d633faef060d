"""The stand-in as a program of its own: it needs the standard library and `cryptography` alone."""

from crowd.marketplace.tools.prolific.standin_server import main

main()
