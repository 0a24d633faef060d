"""Hosts on one machine: a network namespace for each, with an address of its own, on one bridge."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

BRIDGE = "crowdhosts"
NET = "10.217.31"
GATE = f"{NET}.1"  # this machine's own address on the bridge


@dataclass(frozen=True, kw_only=True)
class Host:
    name: str
    address: str

    @property
    def namespace(self) -> str:
        return f"{BRIDGE}-{self.name}"

    def within(self, command: Sequence[str]) -> list[str]:
        """Return the command as it is run on this host."""
        return ["ip", "netns", "exec", self.namespace, *command]

    def cut_off(self) -> None:
        """Take its cable out: packets are lost, and nobody is told."""
        _ip("link", "set", self._cable, "down")

    def join(self) -> None:
        _ip("link", "set", self._cable, "up")

    @property
    def _cable(self) -> str:
        return f"ch-{self.name}"[:15]  # the longest name that the kernel takes

    def make(self) -> None:
        _ip("netns", "add", self.namespace)
        _ip("link", "add", self._cable, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        _ip("link", "set", self._cable, "master", BRIDGE, "up")
        for change in (
            ("addr", "add", f"{self.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-n", self.namespace, *change)

    def remove(self) -> None:
        _ip("netns", "del", self.namespace)


@contextmanager
def hosts(*names: str) -> Iterator[dict[str, Host]]:
    made = {name: Host(name=name, address=f"{NET}.{number}") for number, name in enumerate(names, start=11)}
    with ExitStack() as stack:
        _ip("link", "add", BRIDGE, "type", "bridge")
        stack.callback(_ip, "link", "del", BRIDGE)
        _ip("addr", "add", f"{GATE}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        for host in made.values():
            host.make()
            stack.callback(host.remove)
        yield made


def _ip(*command: str) -> None:
    subprocess.run(["ip", *command], check=True)  # noqa: S607 - Debian's iproute2
