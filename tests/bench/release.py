"""A release of many items with pictures, and one of a tenth: python -m tests.bench.release --json

Each is written by a process of its own, in a folder of its own; its memory is what it has at most while it
writes, above what it had before. The large one is then made once more, killed in the middle and gone on with:
its digests must be the same. --items and --pictures set the size of the large one. It fails where memory
grows by more than a fifth, or where a digest differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.servers import ROOT, environment, migrate

ITEMS, PICTURES, PART = 20_000, 3_000, 10
MOST = 1.2
AT_ONCE = 1_000
PIXELS = (64, 48)
LICENSE = "CC BY 4.0"


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast a release is written, and what it takes.")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--pictures", type=int, default=PICTURES)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--act", choices=ACTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.act:
        ACTS[options.act](options.items, options.pictures)
        return
    found = measure(options.items, options.pictures)
    if options.json:
        print(json.dumps(found))  # noqa: T201
    else:
        for name, value in found.items():
            print(f"{name:>14} {value}")  # noqa: T201
    if found["memory_ratio"] > MOST or not found["killed"]["same_digests"]:
        sys.exit(1)


def measure(items: int, pictures: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as large:
        little = write_whole(Path(small), items // PART, pictures // PART)
        much = write_whole(Path(large), items, pictures)
        killed = write_killed(Path(large), much["bytes"])
    ratio = much["memory_mb"] / little["memory_mb"]
    return {"small": little, "large": much, "memory_ratio": round(ratio, 3), "killed": killed}


def write_whole(data: Path, items: int, pictures: int) -> dict[str, Any]:
    migrate(data)
    run("fill", data, items, pictures)
    return {"items": items, "pictures": pictures, **json.loads(run("write", data))}


def write_killed(data: Path, whole_bytes: int) -> dict[str, Any]:
    """Make the release again, kill its process when half is written, and let another go on."""
    before = sums_in(data)
    run("forget", data)
    process = subprocess.Popen(command("write"), cwd=ROOT, env=environment(data, 8000))
    while written(data) < whole_bytes / 2 and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    if process.returncode != -9:
        sys.exit("The release was whole before it could be killed.")
    at = written(data)
    resumed = json.loads(run("write", data))
    return {
        "killed_at_bytes": at,
        "resumed_seconds": resumed["seconds"],
        "same_digests": sums_in(data) == before,
    }


def run(act: str, data: Path, *sizes: int) -> str:
    done = subprocess.run(
        command(act, *sizes), cwd=ROOT, env=environment(data, 8000), stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode()


def command(act: str, *sizes: int) -> list[str]:
    named = [f"--{name}={size}" for name, size in zip(("items", "pictures"), sizes, strict=False)]
    return [sys.executable, "-m", "tests.bench.release", f"--act={act}", *named]


def written(data: Path) -> int:
    return sum(path.stat().st_size for path in files_in(data) if path.exists())


def sums_in(data: Path) -> bytes:
    (path,) = (path for path in files_in(data) if path.name == "SHA256SUMS")
    return path.read_bytes()


def files_in(data: Path) -> Sequence[Path]:
    """Files of the one release, whole and unfinished, without its frozen rows."""
    found = (data / "media" / "private" / "releases").glob("*/*")
    return [path for path in found if not path.parent.name.endswith("-frozen")]


def start() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import logging  # noqa: PLC0415

    import django  # noqa: PLC0415  its settings are made first

    django.setup()
    logging.disable(logging.WARNING)


def fill(items: int, count: int) -> None:
    """Create accepted weird images in bulk, each with two annotations, and ask for their release."""
    start()
    from django.utils import timezone  # noqa: PLC0415

    from crowd.releases.services import release_states  # noqa: PLC0415
    from crowd.whoops.models import Annotation, Image  # noqa: PLC0415
    from tests.crowd.whoops.making_images import TEXTS, make_designer, make_project  # noqa: PLC0415
    from tests.factories import NOW, make_assignment, make_hit, make_user  # noqa: PLC0415

    project, pictures = make_project(), draw_pictures(count)
    designer, hit = make_designer(project), make_hit()
    people = [make_assignment(hit=hit) for _ in range(2)]
    for first in range(0, items, AT_ONCE):
        images = Image.objects.bulk_create(
            Image(
                project=project, designer=designer, number=number + 1, state=Image.State.ACCEPTED,
                picture=pictures[number % count], sent_at=NOW, changed_at=NOW, accepted_at=NOW,
                **{**TEXTS, "explanation": f"Fish number {number} has no legs."},
            )
            for number in range(first, min(first + AT_ONCE, items))
        )  # fmt: skip
        Annotation.objects.bulk_create(
            Annotation(
                image=image, worker=one.worker, assignment=one, caption=f"Fish {image.number} on a bicycle",
                explanation="Fish have no legs to pedal with.", underspecified="A fish",
            )
            for image in images
            for one in people
        )  # fmt: skip
    release_states.make_release(
        study=project.study, family="whoops", by=make_user(), now=timezone.now(), title="Bench", version="1",
        licence="CC0", picture_licences=[LICENSE], split_seed=1,
    )  # fmt: skip


def draw_pictures(count: int) -> list[Any]:
    """Draw real little photographs of a few kB, each another one."""
    from hashlib import sha256  # noqa: PLC0415

    from django.core.files.base import ContentFile  # noqa: PLC0415
    from PIL import Image as Drawing  # noqa: PLC0415

    from crowd.pictures.models import Picture  # noqa: PLC0415

    random, rows = Random(7), []
    for number in range(count):
        content = BytesIO()
        noise = random.randbytes(PIXELS[0] * PIXELS[1] * 3)
        Drawing.frombytes("RGB", PIXELS, noise).save(content, "JPEG", quality=70)
        one = Picture(
            key=f"key{number}", sha256=sha256(content.getvalue()).hexdigest(), concept=f"thing {number}",
            media_type="image/jpeg", licence=LICENSE, credit="Somebody", status=Picture.Status.FIT,
        )  # fmt: skip
        one.file.save(f"{one.sha256}.jpg", ContentFile(content.getvalue()), save=False)
        rows.append(one)
    return Picture.objects.bulk_create(rows, batch_size=AT_ONCE)


def write(*_: int) -> None:
    """Write the release, or go on with it, and print what that took."""
    start()
    from django.utils import timezone  # noqa: PLC0415

    from crowd.releases.models import Release  # noqa: PLC0415
    from crowd.releases.services import release_states  # noqa: PLC0415
    from hits.datasets.columns import TEXT, column  # noqa: PLC0415
    from hits.datasets.parquet import write_parquet  # noqa: PLC0415

    # Arrow is loaded before memory is counted: it is a constant that would hide what grows.
    write_parquet([column("a", TEXT, "")], [{"a": "b"}], BytesIO())
    before, began = forget_peak(), time.perf_counter()
    while not release_states.write_releases(clock=timezone.now):
        pass
    took, peak = time.perf_counter() - began, memory_mb("VmHWM")
    files = Release.objects.get().files
    report = {
        "seconds": round(took, 1),
        "bytes": sum(file["bytes"] for file in files),
        "files": len(files),
        "before_mb": round(before, 1),
        "memory_mb": round(peak - before, 1),
    }
    print(json.dumps(report))  # noqa: T201


def forget(*_: int) -> None:
    """Put the release back to its beginning, as of the same moment, without a file."""
    start()
    from crowd.releases.files.places import remove_files  # noqa: PLC0415
    from crowd.releases.models import Release  # noqa: PLC0415

    Release.objects.update(
        status="freezing", cursor=0, written=0, rows_done=0, files=[], counts={}, ready_at=None
    )
    remove_files(Release.objects.get())


def forget_peak() -> float:
    """Let the kernel count this process's peak anew, and return what it holds now."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory_mb("VmRSS")


def memory_mb(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


ACTS: dict[str, Callable[[int, int], None]] = {"fill": fill, "write": write, "forget": forget}

if __name__ == "__main__":
    main()
