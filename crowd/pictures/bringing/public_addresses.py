"""Addresses that pictures may be fetched from: public ones, and private ones only if a setting says so."""

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urljoin, urlsplit

from django.conf import settings

from crowd.pictures.errors import NotFetched
from hits.common.outgoing.outgoing_addresses import LONGEST, VISIBLE_ASCII, is_public, literal_of

PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, kw_only=True)
class Target:
    """An address whose form has been checked."""

    url: str
    host: str
    port: int
    path: str
    is_tls: bool

    @property
    def netloc(self) -> str:
        """The value of the Host header: without the scheme's own port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS["https" if self.is_tls else "http"] else f"{host}:{self.port}"

    def follow(self, location: str) -> "Target":
        """The target of a redirect. Raises NotFetched, also if it leads from https to http."""
        target = read_target(urljoin(self.url, location.partition("#")[0]))
        if self.is_tls and not target.is_tls:
            raise NotFetched("The address redirects from https to http. Give another.", is_final=True)
        return target


def read_target(url: str) -> Target:
    """Check an address. Raises NotFetched for what can never be fetched. Names are not looked up here."""
    if len(url) > LONGEST or not VISIBLE_ASCII.fullmatch(url):
        raise NotFetched(
            f"An address is at most {LONGEST} visible ASCII characters; write others as %XX.", is_final=True
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotFetched("This is not an address.", is_final=True) from None
    if parts.scheme not in PORTS or not parts.hostname or port == 0:
        raise NotFetched("Give a whole address, such as https://example.org/cat.png.", is_final=True)
    if parts.username is not None:
        raise NotFetched("Leave user names and passwords out of the address.", is_final=True)
    target = Target(
        url=url,
        host=parts.hostname,
        port=port or PORTS[parts.scheme],
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        is_tls=parts.scheme == "https",
    )
    if literal := literal_of(target.host):
        _refuse_private(literal, target)
    return target


def resolve(target: Target) -> list[str]:
    """IP addresses to connect to. Raises NotFetched if one is not public: names that mix are a trick."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotFetched(f"The name {target.host} was not found.", is_final=False) from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses:
        _refuse_private(ip_address(address.partition("%")[0]), target)
    return addresses


def _refuse_private(address: IPv4Address | IPv6Address, target: Target) -> None:
    if not settings.FETCH_PRIVATE and not is_public(address):
        raise NotFetched(
            f"{target.host} is not a public address. CROWD_FETCH_PRIVATE lets pictures come from one.",
            is_final=True,
        )
