"""A web server on loopback, as a researcher has one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def serve_folder(folder: Path) -> AbstractContextManager[str]:
    """Serve these files until the end of the block. Yields their address, which ends in a slash."""
    return serve(partial(_Files, directory=folder))


@contextmanager
def serve(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """Answer by this handler until the end of the block. Yields the server's address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()
