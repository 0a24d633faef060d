"""A loopback proxy that leads programs to this marketplace if they ask for Amazon's host names only."""

from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.marketplace.tools.tls_proxy.server import Misconfigured, Proxy

__all__ = ["Authority", "Misconfigured", "Proxy"]
