"""Every step of the guide for every task, with each field wrong in turn: none fails, no input is lost."""

import pytest
from django.contrib import admin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from crowd.winogavil.domain import SOLVE
from hits import families
from hits.batches.services.drafting import ASKS_ONCE
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.factories import make_batch, make_study, make_user
from tests.pages import text_of
from tests.sent_forms import Sent, fill_in, find_faults, find_lost, post, read_page, refused

pytestmark = pytest.mark.django_db
TASKS = list(families.offered())
TAKING_FILES = [key for key, task in families.offered().items() if isinstance(task, families.TakesFiles)]
ASKED_ONCE = [key for key in TASKS if not families.asks_anew(key)]
STEPS = ("what", "terms", "people")
# Valid values that the kind of a field does not tell.
KNOWN = {
    "countries": ["US"],
    "not_countries": ["GB"],
    "own_type_0": ["TYPE"],
    "own_values_0": ["1"],
    "own_type_1": [""],
    "own_values_1": [""],
    "older_batches": [""],
    "further": [""],
}
# Other fields of the same row at which a fault may be shown.
SAID_AT = {
    "own_type_1": "own_values_1",
    "own_values_1": "own_type_1",
    "own_comparator_0": "own_values_0",
    "own_comparator_1": "own_values_1",
}
# Fields that are not read while the items come from elsewhere.
TAKE_ALL = {"source_batch"}
NOT_FILES = {
    "nothing": b"",
    "words": b"no such thing",
    "a NUL": b"cue,candidates,chosen\nsn\0ow,a;b;c;d;e,a",
    "half a character": b"\xff\xfe\xfa",
    "too deep": b"[" * 20_000,
    "too large": b"9" * 5_000,
    "not finite": b"[NaN]",
    "half a surrogate": rb'[{"cue": "\ud800", "candidates": "\ud800", "chosen": "\u0000"}]',
}


@pytest.fixture(autouse=True)
def _no_sidebar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the list of all models: it is half the work of showing a page, and no part of any form."""
    monkeypatch.setattr(admin.site, "get_app_list", lambda *_, **__: [])


@pytest.fixture(params=TASKS)
def draft(request: pytest.FixtureRequest, client: Client) -> Batch:
    """Make a draft of one task, beside a launched batch of the same task that has asked something."""
    client.force_login(make_user(is_superuser=True))
    study = make_study()
    family = families.get(request.param)
    each = {"task": request.param, "study": study, "items_per_assignment": family.terms.items_each}
    asked = make_batch(status="open", items_from="file", **each)
    Item.objects.create(study=study, batch=asked, task=request.param, wanted=3)
    return make_batch(account=asked.account, **each)


def step_url(batch: Batch, step: str) -> str:
    return reverse("admin:hits_batch_step", args=[batch.pk, step])


def of_other(draft: Batch, sent: Sent) -> Sent:
    source = Batch.objects.exclude(pk=draft.pk).get()
    return {**sent, "items_from": ["batch"], "source_batch": [str(source.pk)]}


@pytest.mark.parametrize("step", STEPS)
def test_step_of_every_task_with_a_field_wrong_says_so_and_keeps_the_others(
    client: Client, draft: Batch, step: str
) -> None:
    address = step_url(draft, step)
    form = read_page(client.get(address)).form
    good = fill_in(form, KNOWN)

    accepted = post(client, address, good)
    faults, _ = find_faults(client, address, good, form, said_at=SAID_AT, turn=TASKS.index(draft.task))

    assert refused(accepted, form) is None
    assert "\n".join(faults) == ""


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("draft", [SOLVE], indirect=True)
def test_step_with_all_that_can_be_wrong_says_so_and_keeps_the_others(
    client: Client, draft: Batch, step: str
) -> None:
    address = step_url(draft, step)
    form = read_page(client.get(address)).form

    faults, taking = find_faults(client, address, fill_in(form, KNOWN), form, said_at=SAID_AT)

    assert "\n".join(faults) == ""
    assert taking <= TAKE_ALL


def test_asking_anew_is_offered_where_the_task_can(client: Client, draft: Batch) -> None:
    shown = read_page(client.get(step_url(draft, "what")))

    offered = "batch" in shown.form.controls["items_from"].options

    assert offered == families.asks_anew(draft.task)


@pytest.mark.parametrize("draft", ASKED_ONCE, indirect=True)
def test_asking_anew_what_cannot_be_is_refused_beside_the_field(client: Client, draft: Batch) -> None:
    address = step_url(draft, "what")
    form = read_page(client.get(address)).form
    sent = of_other(draft, form.values)
    before = Batch.objects.values().get(pk=draft.pk)

    page = client.post(address, sent)

    shown = read_page(page)
    assert (page.status_code, shown.wrong) == (200, {"items_from"})
    assert ASKS_ONCE in text_of(page)
    assert find_lost(sent, shown, but="") == []
    assert Batch.objects.values().get(pk=draft.pk) == before


@pytest.mark.parametrize("draft", ASKED_ONCE, indirect=True)
def test_new_batch_of_what_cannot_be_asked_anew_is_refused_beside_the_field(
    client: Client, draft: Batch
) -> None:
    address = reverse("admin:hits_batch_add")
    form = read_page(client.get(address)).form
    known = {"study": [str(draft.study_id)], "account": [str(draft.account_id)], "task": [draft.task]}
    sent = of_other(draft, fill_in(form, known))

    page = client.post(address, sent)

    shown = read_page(page)
    assert (page.status_code, shown.wrong, Batch.objects.count()) == (200, {"items_from"}, 2)
    assert find_lost(sent, shown, but="") == []


@pytest.mark.parametrize("draft", TAKING_FILES, indirect=True)
@pytest.mark.parametrize("content", NOT_FILES.values(), ids=NOT_FILES)
def test_no_file_of_items_that_cannot_be_read_fails(client: Client, draft: Batch, content: bytes) -> None:
    Batch.objects.filter(pk=draft.pk).update(items_from="file")
    file = SimpleUploadedFile("items.csv", content)

    page = client.post(reverse("admin:hits_batch_items", args=[draft.pk]), {"file": file, "there": "0"})

    assert (page.status_code, draft.items.count()) == (200, 0)
    assert "Nothing was added." in text_of(page)
