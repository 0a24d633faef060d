"""`python -m crowd.marketplace.tools.tls_proxy`: the standard library and `cryptography` are all that it needs."""

import logging
import sys

from crowd.marketplace.tools.tls_proxy.running import main

logging.basicConfig(format="%(message)s")
sys.exit(main())
