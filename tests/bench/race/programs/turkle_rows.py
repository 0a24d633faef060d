"""Fills the database of a Turkle site by its own models. What was made is printed as JSON.

Started as `turkle_rows.py seed TEMPLATE SIZE...` or `turkle_rows.py open BATCH WORKERS`.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import django

ROOM = 1_000_000  # places of each task: no task is ever full, as in our own batches


def seed(template: Path, *sizes: int) -> dict[int, int]:
    """Publish a batch of so many tasks for each size, closed as yet. Returns their ids by size."""
    models = import_module("turkle.models")
    project = models.Project(name="Measured", html_template=template.read_text(), assignments_per_task=ROOM)
    project.process_template()
    project.save()
    made = {}
    for size in sizes:
        batch = models.Batch.objects.create(
            project=project, name=f"{size} open", assignments_per_task=ROOM, active=False
        )
        tasks = (models.Task(batch=batch, input_csv_fields={"number": str(n)}) for n in range(size))
        models.Task.objects.bulk_create(tasks, batch_size=5_000)
        made[size] = batch.pk
    return made


def open_batch(batch_id: int, workers: int) -> list[str]:
    """Leave this batch alone on the list, and sign in so many new workers. Returns their sessions."""
    batches = import_module("turkle.models").Batch.objects
    batches.exclude(pk=batch_id).update(active=False)
    batches.filter(pk=batch_id).update(active=True)
    return [sign_in() for _ in range(workers)]


def sign_in() -> str:
    from django.conf import settings  # noqa: PLC0415  the site is set up first
    from django.contrib import auth  # noqa: PLC0415
    from django.contrib.sessions.backends.db import SessionStore  # noqa: PLC0415
    from django.utils.crypto import get_random_string  # noqa: PLC0415

    user = auth.get_user_model().objects.create_user(get_random_string(12))
    session = SessionStore()
    session[auth.SESSION_KEY] = str(user.pk)
    session[auth.BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[auth.HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


if __name__ == "__main__":
    django.setup()
    what, first, *others = sys.argv[1:]
    numbers = map(int, others)
    made = seed(Path(first), *numbers) if what == "seed" else open_batch(int(first), *numbers)
    print(json.dumps(made))  # noqa: T201
