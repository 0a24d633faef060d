"""A relay of bytes from a port of ours to a server, until all of its connections are cut at once."""

import socket
import threading
from contextlib import suppress

CHUNK = 65_536


class Relay:
    def __init__(self, *, host: str, port: int, listen: str = "127.0.0.1") -> None:
        self._server = (host, port)
        self._door = socket.create_server((listen, 0))
        self.port: int = self._door.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._is_shut = False
        threading.Thread(target=self._accept, name="relay", daemon=True).start()

    def cut(self) -> int:
        """Cut all connections. Returns their number."""
        cut = list(self._open)
        for end in cut:
            _end(end)
        return len(cut) // 2

    def shut(self) -> None:
        """Refuse new connections, and cut all others."""
        self._is_shut = True
        self.cut()

    def open(self) -> None:
        self._is_shut = False

    def close(self) -> None:
        _end(self._door)
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            try:
                if self._is_shut:
                    raise ConnectionRefusedError
                server = socket.create_connection(self._server, timeout=5)
            except OSError:
                _end(caller)
            else:
                server.settimeout(None)
                self._join(caller, server)

    def _join(self, caller: socket.socket, server: socket.socket) -> None:
        self._open |= {caller, server}
        for one, other in ((caller, server), (server, caller)):
            threading.Thread(target=self._pump, args=(one, other), name="pump", daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while said := one.recv(CHUNK):
                other.sendall(said)
        for end in (one, other):
            self._open.discard(end)
            _end(end)


def _end(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
