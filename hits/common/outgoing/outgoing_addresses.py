"""Addresses to which a site may send: public ones over TLS, and never its own network."""

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from hits.common.outgoing import Undeliverable

LONGEST = 2000
VISIBLE_ASCII = re.compile(r"[!-~]+", re.ASCII)
# Addresses that hide an IPv4 address which a gateway would unwrap.
WRAPPERS = tuple(IPv6Network(net) for net in ("::ffff:0:0/96", "64:ff9b::/32", "2002::/16", "2001::/32"))


@dataclass(frozen=True, kw_only=True)
class Target:
    """An address whose form has been checked. `is_local`: the sender is on loopback, and may send there."""

    host: str
    port: int
    path: str
    is_tls: bool
    is_local: bool

    @property
    def netloc(self) -> str:
        """Host and port for the Host header: without the scheme's own port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.is_tls else 80) else f"{host}:{self.port}"


def read_target(url: str, *, is_local: bool) -> Target:
    """Check the form of an address. Raises Undeliverable if it can never be sent to. No name is looked up."""
    if len(url) > LONGEST or not VISIBLE_ASCII.fullmatch(url):
        raise Undeliverable(f"An address is at most {LONGEST} visible ASCII characters.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Undeliverable("This is not an address.") from None
    if parts.scheme not in ("https", "http") or not parts.hostname or port == 0:
        raise Undeliverable("Give a whole address, such as https://example.org/notifications.")
    if parts.username is not None or parts.fragment:
        raise Undeliverable("Leave user names, passwords and fragments out of the address.")
    is_tls = parts.scheme == "https"
    if not is_tls and not is_local:
        raise Undeliverable("The address must begin with https://.")
    target = Target(
        host=parts.hostname,
        port=port or (443 if is_tls else 80),
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        is_tls=is_tls,
        is_local=is_local,
    )
    if literal := literal_of(target.host):
        _refuse_private(literal, target)
    return target


def resolve(target: Target) -> list[str]:
    """The IP addresses to connect to. One bad address spoils all: names that mix them are a trick."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Undeliverable(f"The name {target.host} was not found.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses:
        _refuse_private(ip_address(address), target)
    return addresses


def is_on_loopback(site: str) -> bool:
    """Whether a site of ours is on loopback itself: the embedded form, and tests."""
    host = urlsplit(site).hostname or ""
    literal = literal_of(host)
    return literal.is_loopback if literal else host == "localhost" or host.endswith(".localhost")


def _refuse_private(address: IPv4Address | IPv6Address, target: Target) -> None:
    if address.is_loopback and target.is_local:
        return
    if not target.is_tls:
        raise Undeliverable("The address must begin with https://.")
    if not is_public(address):
        raise Undeliverable(f"{target.host} is not a public address. Use a public address.")


def is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and any(address in wrapper for wrapper in WRAPPERS):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_private)


def literal_of(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
