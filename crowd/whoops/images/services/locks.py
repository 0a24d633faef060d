"""A project is held before its images, and an image before its items."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from crowd.whoops.models import Image
from hits.work.services.locking import held

AT_ONCE = 200


@contextmanager
def held_image(image: Image) -> Iterator[Image]:
    """For one transaction, and its project with it: what is changed of it is changed on what is yielded."""
    with held(image.project) as project:
        locked = lock_images([image.pk])[0]
        locked.project = project
        yield locked


def lock_images(keys: Collection[int]) -> list[Image]:
    """As they are now, in one order. The caller holds their project."""
    return list(Image.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
