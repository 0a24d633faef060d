from collections.abc import Mapping
from typing import Any

from crowd.marketplace import frames
from crowd.marketplace.errors import ParameterValidationError, wrong_state
from crowd.marketplace.operations.assignments import VISIBLE, find_assignment
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services import uploads


@operation
def get_file_upload_url(call: Call) -> Mapping[str, Any]:
    """An address that downloads the file, for a minute."""
    assignment = find_assignment(call)
    if assignment.status not in VISIBLE:
        raise wrong_state("Assignment", allowed="Reviewable,Approved,Rejected")
    question = call.text("QuestionIdentifier")
    upload = uploads.find_upload(assignment=assignment, question=question)
    if upload is None:
        raise ParameterValidationError(
            f"Assignment {assignment.external_id} has no file for the question {question}.",
            code="InvalidParameterValue",
        )
    return {"FileUploadURL": frames.file_url(upload, now=call.now)}
