"""A clean Debian machine in a folder, on which nothing of this one is installed: debootstrap and buildah."""

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RELEASE = "bookworm"
BASE = "localhost/clean-machine"
CERTIFICATES = Path("/usr/local/share/ca-certificates")
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# What a network in between signs with must be trusted inside as it is here.
BASE_FILE = f"FROM scratch\nADD machine.tar /\nENV SSL_CERT_FILE={BUNDLE} PIP_CERT={BUNDLE}\n"
Volumes = Mapping[Path, str]


def execute(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode:
        sys.stderr.write(done.stdout[-4000:] + done.stderr[-4000:])
    done.check_returncode()
    return done.stdout


class Machines:
    """Containers and images below one folder, without a daemon; programs in them share this network."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._command = [
            "buildah", "--root", str(folder / "images"), "--runroot", str(folder / "run"),
            "--storage-driver", "vfs",
        ]  # fmt: skip
        self._make_base()

    def build(self, target: str) -> str:
        """Build an image of ours by the file that users build it by, and return its name."""
        self._buildah(
            "bud", "--isolation", "chroot", "--layers", "--pull=never", "--build-arg", f"DEBIAN={BASE}",
            "--target", target, "--tag", f"crowd-{target}",
            "--file", str(ROOT / "config" / "deploy" / "Dockerfile"),
            "--ignorefile", str(ROOT / ".dockerignore"), str(ROOT),
        )  # fmt: skip
        return f"localhost/crowd-{target}"

    def inspect(self, image: str, template: str) -> str:
        return self._buildah("inspect", "--type", "image", "--format", template, image).strip()

    def size_mb(self, image: str) -> float:
        """The megabytes that the image has beyond its base."""
        with self.container(image) as name:
            mounted = self._buildah("mount", name).strip()
            try:
                own = _disk_mb(Path(mounted))
            finally:
                self._buildah("umount", name)
        return own - _disk_mb(self._folder / "machine")

    @contextmanager
    def container(self, image: str = BASE) -> Iterator[str]:
        name = self._buildah("from", "--pull=never", image).strip()
        try:
            yield name
        finally:
            self._buildah("rm", name)

    def run(
        self,
        container: str,
        *command: str,
        environ: Mapping[str, str] | None = None,
        volumes: Volumes | None = None,
        network: str = "",
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, in a network namespace if one is named."""
        return subprocess.run(
            self.command(container, *command, environ=environ, volumes=volumes, network=network),
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    def command(
        self,
        container: str,
        *command: str,
        environ: Mapping[str, str] | None = None,
        volumes: Volumes | None = None,
        network: str = "",
    ) -> list[str]:
        within = ["ip", "netns", "exec", network] if network else []
        given = [f"--env={name}={value}" for name, value in (environ or {}).items()]
        mounted = [f"--volume={here}:{there}" for here, there in (volumes or {}).items()]
        run = [*self._command, "run", "--isolation", "chroot", *given, *mounted, container, "--"]
        return [*within, *run, *command]

    def _make_base(self) -> None:
        machine = self._folder / "machine"
        execute(
            "debootstrap", "--variant=minbase", "--include=ca-certificates", RELEASE, str(machine), _mirror()
        )
        for certificate in CERTIFICATES.glob("*.crt"):
            shutil.copy(certificate, machine / CERTIFICATES.relative_to("/"))
        execute("chroot", str(machine), "update-ca-certificates")
        with tarfile.open(self._folder / "machine.tar", "w") as tar:
            tar.add(machine, arcname=".")
        (self._folder / "Base").write_text(BASE_FILE)
        self._buildah(
            "bud", "--isolation", "chroot", "--tag", BASE, "--file", str(self._folder / "Base"),
            str(self._folder),
        )  # fmt: skip

    def _buildah(self, *arguments: str) -> str:
        return execute(*self._command, *arguments)


@contextmanager
def network(name: str) -> Iterator[str]:
    """Make a network with nothing but its own loopback, so that any port in it is free."""
    execute("ip", "netns", "add", name)
    try:
        execute("ip", "-n", name, "link", "set", "lo", "up")
        yield name
    finally:
        execute("ip", "netns", "del", name)


def _mirror() -> str:
    """The address from which this machine has its own Debian packages."""
    sources = Path("/etc/apt")
    for file in [*sources.glob("sources.list.d/*.sources"), *sources.glob("sources.list")]:
        for line in file.read_text().splitlines():
            words = line.split()
            if words[:1] in (["URIs:"], ["deb"]):
                return next(word for word in words if "://" in word)
    pytest.skip("no mirror of Debian is known here")


def _disk_mb(folder: Path) -> float:
    return float(execute("du", "-sxm", str(folder)).split()[0])
