"""For programs that ask for Amazon's host names and nothing else: a loopback proxy leads them here."""

from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.marketplace.tools.tls_proxy.server import Misconfigured, Proxy

__all__ = ["Authority", "Misconfigured", "Proxy"]
