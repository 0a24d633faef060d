"""The proxy as a program of its own: it needs the standard library and `cryptography` alone."""

import logging
import sys

from crowd.marketplace.tools.tls_proxy.running import main

logging.basicConfig(format="%(message)s")
sys.exit(main())
