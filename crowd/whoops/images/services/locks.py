"""Lock order: a project before its images, and an image before its items."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from crowd.whoops.models import Image
from hits.work.services.locking import held

AT_ONCE = 200


@contextmanager
def held_image(image: Image) -> Iterator[Image]:
    """Lock an image and its project for one transaction; changes are made on the image that is yielded."""
    with held(image.project) as project:
        locked = lock_images([image.pk])[0]
        locked.project = project
        yield locked


def lock_images(keys: Collection[int]) -> list[Image]:
    """Lock images in one order, and return them as they are now. The caller holds their project."""
    return list(Image.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
