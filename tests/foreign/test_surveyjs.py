"""A survey of SurveyJS in an HTMLQuestion, posted and read by a script of boto3 and xmltodict."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.foreign import working
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_node, install_python
from tests.foreign.serving import serve_folder

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_uv, pytest.mark.django_db(transaction=True)]

QUESTIONS = {
    "elements": [
        {
            "type": "radiogroup",
            "name": "sky",
            "title": "The sky is",
            "choices": ["red", "blue"],
            "isRequired": True,
        },
        {"type": "comment", "name": "why", "title": "Why?"},
    ]
}
# The page, with the address of the packages' files, as SurveyJS's documentation has it; then MTurk's form.
PAGE = f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<link rel="stylesheet" href="FILESnode_modules/survey-core/survey-core.min.css">
<script src="FILESnode_modules/survey-core/survey.core.min.js"></script>
<script src="FILESnode_modules/survey-js-ui/survey-js-ui.min.js"></script>
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>
</head>
<body>
<div id="surveyElement"></div>
<form name="mturk_form" method="post" id="mturk_form" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" name="assignmentId" id="assignmentId">
<input type="hidden" name="answers" id="answers">
</form>
<script>
turkSetAssignmentID();
const survey = new Survey.Model({json.dumps(QUESTIONS)});
if (turkIsPreview()) survey.mode = "display";
survey.onComplete.add((sender) => {{
  document.getElementById("answers").value = JSON.stringify(sender.data);
  document.getElementById("mturk_form").submit();
}});
survey.render(document.getElementById("surveyElement"));
</script>
</body>
</html>"""


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surveyjs")
    install_node(folder, "survey-core@2", "survey-js-ui@2")
    return folder


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_python(tmp_path_factory.mktemp("xmltodict"), "boto3", "xmltodict")


@pytest.fixture
def program(
    python: Path, packages: Path, sites: Sites, credentials: Credentials, tmp_path: Path
) -> Iterator[Client]:
    with serve_folder(packages) as files:
        (tmp_path / "questions.html").write_text(PAGE.replace("FILES", files))
        yield Client(
            command=[str(python), str(PROGRAMS / "xmltodict_program.py")],
            folder=tmp_path,
            environ=environ_of(credentials, home=tmp_path, AWS_ENDPOINT_URL_MTURK=sites.marketplace),
        )


def test_survey_of_surveyjs_is_answered_and_approved(program: Client, page: Page, sites: Sites) -> None:
    def answer(_: Mapping[str, str]) -> Mapping[str, str]:
        preview = working.preview(page, sites=sites)[1]
        expect(preview.get_by_text("The sky is")).to_be_visible()
        expect(preview.get_by_role("button", name="Complete")).to_have_count(0)
        frame = working.accept(page)
        frame.get_by_text("blue", exact=True).click()
        frame.get_by_role("textbox").fill("I “looked” & saw\nit")
        frame.get_by_role("button", name="Complete").click()
        working.expect_submitted(page)
        return {}

    report = program.run("survey", answer=answer)

    assert json.loads(report["answers"].pop("answers")) == {"sky": "blue", "why": "I “looked” & saw\nit"}
    assert report == {"answers": {}, "approved": 1}
