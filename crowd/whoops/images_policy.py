"""The conditions for launching work on weird images, and for entering the annotators' test."""

from datetime import datetime

from django.utils.translation import gettext as _

from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import TEST_IMAGES
from crowd.whoops.models import Project
from hits import families
from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from hits.work.queries.items import items_of_batch
from hits.work.services.leasing import UNSETTLED, items_open_to

TASKS = (domain.DESIGN, domain.CONTROL, domain.ANNOTATE, domain.EXAMPLES, *domain.JUDGED)


class ImagesPolicy(EntryPolicy):
    def ask(self, batch: Batch) -> PlatformRequirements:
        if batch.task not in TASKS or batch.task not in families.registered():
            return PlatformRequirements()
        if not Project.objects.filter(study=batch.study_id).exists():
            words = f"The study “{batch.study}” has no weird images yet. Set them up first."
            return PlatformRequirements(obstacles=[words])
        lacking = _lacking_images(batch) if batch.task == domain.EXAMPLES else ""
        return PlatformRequirements(obstacles=[lacking] if lacking else [])

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        """Refuse a worker for whom too few test images are new. Raises RuleBroken."""
        batch = hit.batch
        if batch.task != domain.EXAMPLES:
            return
        own = Assignment.objects.filter(hit=hit, worker=worker, status__in=UNSETTLED)
        leased = Lease.objects.filter(assignment__in=own).exclude(status=Lease.Status.RELEASED).count()
        left = items_open_to(batch=batch, worker_id=worker.pk)[:TEST_IMAGES].count()
        if left + leased < TEST_IMAGES:
            raise RuleBroken(
                "no_items",
                _(
                    "There are not enough images in this test that are new to you. Please return this work, "
                    "and look again later."
                ),
            )


def _lacking_images(batch: Batch) -> str:
    there = items_of_batch(batch).filter(wanted__gt=0, pulled_at=None).count()
    if there < TEST_IMAGES:
        lacking = TEST_IMAGES - there
        return (
            f"The test needs {TEST_IMAGES} training images, and there are {there}. Add {lacking} more: on "
            "the page of the study's weird images, under “The annotators' test”."
        )
    if batch.items_per_assignment != TEST_IMAGES:
        return (
            f"Each worker of the test gets {TEST_IMAGES} images, and this batch would give each "
            f"{batch.items_per_assignment}. Set the items for each assignment to {TEST_IMAGES}."
        )
    return ""
