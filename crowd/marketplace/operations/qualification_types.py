from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from crowd.marketplace.errors import (
    InvalidParameterCombination,
    ParameterValidationError,
    does_not_exist,
    out_of_range,
)
from crowd.marketplace.models import HIT, HITType, QualificationType
from crowd.marketplace.operations.hit_types import YEAR_S, check_bounds
from crowd.marketplace.operations.hits import page_of_hits
from crowd.marketplace.operations.pagination import page, page_size, read_place, sign_place
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.queries.search_words import contains_all, words_of
from crowd.marketplace.questions.answer_key import check_fits, read_answer_key
from crowd.marketplace.questions.form import read_form
from crowd.marketplace.questions.form_answers import FileUpload
from crowd.marketplace.services.qualifying import qualification_types as services
from crowd.marketplace.services.qualifying.requirement_checks import LEAST_INTEGER, MOST_INTEGER
from crowd.marketplace.services.qualifying.system_qualifications import SYSTEM_IDS, SYSTEM_TYPES, SystemType

Status = QualificationType.Status
LONGEST = {"Name": 200, "Description": 2000, "Keywords": 1000}
RANGES = {
    "TestDurationInSeconds": (1, YEAR_S),
    "RetryDelayInSeconds": (0, YEAR_S),
    "AutoGrantedValue": (LEAST_INTEGER, MOST_INTEGER),
}
SEARCHED = ("name", "description", "keywords")
AMONG_SYSTEM = "system types"


@operation
def create_qualification_type(call: Call) -> Mapping[str, Any]:
    check_bounds(call, ranges=RANGES, longest=LONGEST)
    if not call.text("Name").strip():
        raise out_of_range("The length of Name", low=1, high=LONGEST["Name"])
    type_ = services.create_type(
        requester=call.requester,
        name=call.text("Name"),
        keywords=call.text("Keywords"),
        change=_read_change(call),
        now=call.now,
    )
    return {"QualificationType": describe_own(type_)}


@operation
def update_qualification_type(call: Call) -> Mapping[str, Any]:
    check_bounds(call, ranges=RANGES, longest=LONGEST)
    type_ = services.update_type(type_id=find_own_type(call).pk, change=_read_change(call))
    return {"QualificationType": describe_own(type_)}


@operation
def delete_qualification_type(call: Call) -> Mapping[str, Any]:
    services.dispose_type(type_id=find_own_type(call).pk, now=call.now)
    return {}


@operation
def get_qualification_type(call: Call) -> Mapping[str, Any]:
    external_id = call.text("QualificationTypeId")
    for system in SYSTEM_TYPES:
        if system.external_id == external_id:
            return {"QualificationType": describe_system(system)}
    return {"QualificationType": _describe_for(call, _find_visible(call))}


@operation
def list_qualification_types(call: Call) -> Mapping[str, Any]:
    """List types. The marketplace's own come first, unless types must be requestable or the caller's own."""
    words = words_of(call.text("Query"))
    rows = _visible(call).filter(contains_all(words, columns=SEARCHED))
    if call.params["MustBeRequestable"]:
        rows = rows.filter(status=Status.ACTIVE)
    if call.params.get("MustBeOwnedByCaller"):
        rows = rows.filter(requester=call.requester)
    elif not call.params["MustBeRequestable"]:
        return _page_after_system(call, rows, system=[one for one in SYSTEM_TYPES if _is_found(one, words)])
    return _page(call, rows)


@operation
def list_hits_for_qualification_type(call: Call) -> Mapping[str, Any]:
    """List the caller's HITs of this type: other requesters' questions are not shown."""
    rows = HIT.objects.filter(requester=call.requester, disposed_at=None)
    external_id = call.text("QualificationTypeId")
    if external_id not in SYSTEM_IDS:
        return page_of_hits(call, rows.filter(hit_type__required=_find_visible(call)))
    # System types have no rows: only the requirements name them, as a quoted id that is like no other text.
    types = HITType.objects.filter(requester=call.requester).annotate(named=Cast("requirements", TextField()))
    naming = list(types.filter(named__contains=f'"{external_id}"').values_list("pk", flat=True))
    return page_of_hits(call, rows.filter(hit_type__in=naming))


def find_own_type(call: Call) -> QualificationType:
    """The caller's own type; another requester's counts as missing for what only its owner may do."""
    external_id = call.text("QualificationTypeId")
    type_ = QualificationType.objects.filter(
        requester=call.requester, external_id=external_id, disposed_at=None
    ).first()
    if not type_:
        raise does_not_exist("QualificationType", external_id)
    return type_


def _find_visible(call: Call) -> QualificationType:
    external_id = call.text("QualificationTypeId")
    type_ = _visible(call).filter(external_id=external_id).first()
    if not type_:
        raise does_not_exist("QualificationType", external_id)
    return type_


def _visible(call: Call) -> QuerySet[QualificationType]:
    """The caller's own types and other requesters' active ones."""
    own_or_given = Q(requester=call.requester) | Q(status=Status.ACTIVE)
    return QualificationType.objects.filter(own_or_given, disposed_at=None)


def _page(call: Call, rows: QuerySet[QualificationType]) -> Mapping[str, Any]:
    return page(call, rows, name="QualificationTypes", describe=lambda row: _describe_for(call, row))


def _page_after_system(
    call: Call, rows: QuerySet[QualificationType], *, system: Sequence[SystemType]
) -> Mapping[str, Any]:
    """One page that begins with the system's types.

    Tokens within the system's types are of a kind of their own; all others are those of the rows.
    """
    try:
        start = read_place(call, among=AMONG_SYSTEM)
    except ParameterValidationError:
        return _page(call, rows)
    size = page_size(call)
    shown = [describe_system(one) for one in system[start : start + size]]
    following = sign_place(call, start + len(shown), among=AMONG_SYSTEM) if shown else None
    if len(shown) < size:
        rest = {**call.params, "NextToken": None, "MaxResults": size - len(shown)}
        custom = _page(replace(call, params=rest), rows)
        shown += custom["QualificationTypes"]
        following = custom["NextToken"] or following
    return {"QualificationTypes": shown, "NumResults": len(shown), "NextToken": following}


def _is_found(system: SystemType, words: Sequence[str]) -> bool:
    text = f"{system.name} {system.description}".lower()
    return all(word.lower() in text for word in words)


def _read_change(call: Call) -> services.Change:
    return services.Change(
        description=call.params.get("Description"),
        status=call.params.get("QualificationTypeStatus"),
        test=_read_test(call),
        test_duration_s=call.params.get("TestDurationInSeconds"),
        retry_delay_s=call.params.get("RetryDelayInSeconds"),
        is_auto_granted=call.params.get("AutoGranted"),
        auto_granted_value=call.params.get("AutoGrantedValue"),
    )


def _read_test(call: Call) -> services.Test | None:
    """Read the test and its key as one: an update replaces both, or none."""
    if not call.text("Test"):
        if call.text("AnswerKey"):
            raise InvalidParameterCombination("AnswerKey needs the Test that it is about.")
        return None
    if "TestDurationInSeconds" not in call.params:
        raise ParameterValidationError(
            "A Test needs its TestDurationInSeconds.", code="InvalidParameterValue"
        )
    _check_test(call.text("Test"), key=call.text("AnswerKey"))
    return services.Test(form=call.text("Test"), answer_key=call.text("AnswerKey"))


def _check_test(xml: str, *, key: str) -> None:
    form = read_form(xml, noun="Test")
    if any(isinstance(question.answer, FileUpload) for question in form.questions):
        raise ParameterValidationError("A Test cannot ask for files.", code="InvalidParameterValue")
    if key:
        check_fits(form, read_answer_key(key))


def _describe_for(call: Call, type_: QualificationType) -> Mapping[str, Any]:
    return describe_own(type_) if type_.requester_id == call.requester.pk else describe_foreign(type_)


def describe_foreign(type_: QualificationType) -> Mapping[str, Any]:
    """A type without test and key: a requester who reads them here may also be a worker elsewhere."""
    return {
        "QualificationTypeId": type_.external_id,
        "CreationTime": type_.created_at,
        "Name": type_.name,
        "Description": type_.description,
        "Keywords": type_.keywords,
        "QualificationTypeStatus": type_.status,
        "TestDurationInSeconds": type_.test_duration_s,
        "RetryDelayInSeconds": type_.retry_delay_s,
        "IsRequestable": type_.status == Status.ACTIVE,
        "AutoGranted": type_.is_auto_granted,
        "AutoGrantedValue": type_.auto_granted_value if type_.is_auto_granted else None,
    }


def describe_own(type_: QualificationType) -> Mapping[str, Any]:
    return {
        **describe_foreign(type_),
        "Test": type_.test or None,
        "AnswerKey": type_.answer_key or None,
    }


def describe_system(system: SystemType) -> Mapping[str, Any]:
    return {
        "QualificationTypeId": system.external_id,
        "Name": system.name,
        "Description": system.description,
        "QualificationTypeStatus": Status.ACTIVE,
        "IsRequestable": False,
        "AutoGranted": False,
    }
