"""A study whose workers have answered as a simulated crowd does, in rows made at once."""

from collections import defaultdict
from datetime import timedelta

from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from tests.crowd.plain.making import asked_project, open_batch
from tests.factories import NOW, make_hit, make_worker
from tests.scoring.quality.odd_people import KnownCrowd

A_PAGE = 10
TEXTS = ({"q1": "1"}, {"q1": "2"})


def play_crowd(crowd: KnownCrowd) -> Batch:
    """Let a crowd of two answers say whether sentences sound natural, ten on each page."""
    sentences = [f"Sentence number {number} says something odd." for number in range(len(crowd.labels.items))]
    batch = open_batch(asked_project(*sentences), items=A_PAGE, title="Is it natural?")
    items = list(batch.study.items.order_by("pk"))
    hit = make_hit(batch=batch)
    pages: defaultdict[int, list[list[int]]] = defaultdict(list)
    for at, worker in enumerate(crowd.labels.worker.tolist()):
        own = pages[worker]
        if not own or len(own[-1]) == A_PAGE:
            own.append([])
        own[-1].append(at)
    works: list[Assignment] = []
    leases: list[Lease] = []
    for worker, own in pages.items():
        person = make_worker(account=batch.account, external_id=f"A{crowd.labels.workers[worker]}")
        for number, page in enumerate(own):
            places = crowd.labels.item[page]
            said = crowd.labels.answer[page]
            work = Assignment(
                account=batch.account,
                hit=hit,
                worker=person,
                external_id=f"A{worker}X{number}",
                attempt=1,
                accepted_at=NOW,
                opened_at=NOW,
                deadline_at=NOW + timedelta(hours=1),
                submitted_at=NOW + timedelta(minutes=len(works)),
                status=Assignment.Status.SUBMITTED,
                worked_s=round(float(crowd.labels.seconds[page].sum())),
                answer={
                    str(items[place].public_id): TEXTS[answer]
                    for place, answer in zip(places.tolist(), said.tolist(), strict=True)
                },
            )
            works.append(work)
            leases += [
                Lease(item=items[place], assignment=work, worker=person, status="answered", leased_at=NOW)
                for place in places.tolist()
            ]
    Assignment.objects.bulk_create(works)
    Lease.objects.bulk_create(leases)
    return batch
