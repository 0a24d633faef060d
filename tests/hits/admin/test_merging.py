"""Rows that mean the same are merged: chosen in a list, and recorded at the row that stays."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.contrib.messages.storage.fallback import FallbackStorage
from django.test import RequestFactory

from hits.admin.row_merge import RowMerge
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db


def merge(studies: Sequence[Study], into: Study) -> str:
    if into.name == "gone":
        raise RuleBroken("gone", "That one is gone by now.")
    return f"Studies in all: {len(studies)}."


MERGING = RowMerge[Study](
    many="studies",
    permission="hits.change_study",
    question="Which stays?",
    help_text="The others go.",
    named=lambda study: f"{study.name}!",
    merge=merge,
)


def send(studies: Sequence[Study], into: Study | None = None) -> tuple[Any, list[str]]:
    given = {"studies": ",".join(str(study.pk) for study in studies), "into": into.pk if into else ""}
    request: Any = getattr(RequestFactory(), "post" if into else "get")("/", given)
    request.user, request.session = make_user(is_superuser=True), {}
    request._messages = FallbackStorage(request)
    pages = MERGING.pages(admin.site._registry[Study], back="admin:hits_study_changelist")
    answer = pages.answer(request, "merge")
    return answer, [str(message) for message in get_messages(request)]


def test_page_asks_which_stays_and_says_what_became_of_the_others() -> None:
    kept, other = make_study(name="kept"), make_study(name="other")

    asked, _ = send([kept, other])
    done, said = send([kept, other], kept)

    form = asked.context_data["form"]
    assert form.fields["into"].choices == [(str(kept.pk), "kept!"), (str(other.pk), "other!")]
    assert (done.status_code, said) == (302, ["“other” became “kept”. Studies in all: 2."])
    record = LogEntry.objects.get()
    assert (record.object_id, "Merged “other” into it." in record.change_message) == (str(kept.pk), True)


def test_one_alone_cannot_be_merged_and_a_stranger_cannot_stay() -> None:
    kept, other, stranger = (make_study(name=name) for name in ("kept", "other", "stranger"))

    alone, said = send([kept], kept)
    strange, _ = send([kept, other], stranger)

    assert (alone.status_code, said) == (302, ["Choose two studies or more that are to become one."])
    assert (strange.status_code, LogEntry.objects.count()) == (400, 0)


def test_refusal_stands_above_the_choice() -> None:
    rows = [make_study(name="gone"), make_study(name="kept")]

    refused, _ = send(rows, rows[0])

    assert refused.status_code == 409
    assert refused.context_data["form"].non_field_errors() == ["That one is gone by now."]
