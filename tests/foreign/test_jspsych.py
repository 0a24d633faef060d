"""An experiment of jsPsych, the same page in two of its versions, which submits by jsPsych's own function."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.factories import external_question
from tests.foreign import working
from tests.foreign.installing import install_node
from tests.foreign.requesting import requester_with
from tests.foreign.serving import serve_folder

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_uv, pytest.mark.django_db(transaction=True)]

PLUGIN = "@jspsych/plugin-html-button-response"
VERSIONS = {"8": ("jspsych@8", f"{PLUGIN}@2"), "7": ("jspsych@7", f"{PLUGIN}@1")}
EXPERIMENT = f"""<!DOCTYPE html>
<html>
<head>
<title>Colors</title>
<script src="node_modules/jspsych/dist/index.browser.min.js"></script>
<script src="node_modules/{PLUGIN}/dist/index.browser.min.js"></script>
<link rel="stylesheet" href="node_modules/jspsych/css/jspsych.css">
</head>
<body></body>
<script>
const jsPsych = initJsPsych({{
  on_finish: () => jsPsych.turk.submitToTurk({{
    colors: jsPsych.data.get().select("response").values.join(" "),
    data: jsPsych.data.get().json(),
  }}),
}});
const turk = jsPsych.turk.turkInfo();
const trial = (stimulus, choices) => ({{ type: jsPsychHtmlButtonResponse, stimulus, choices }});
const welcome = turk.previewMode ? trial("Accept the HIT to take part.", []) : trial("Welcome.", ["Begin"]);
jsPsych.data.addProperties({{ worker: turk.workerId }});
jsPsych.run([welcome, trial("The sky is", ["red", "blue"]), trial("“Grass” & moss are", ["green", "gray"])]);
</script>
</html>"""


@pytest.fixture(scope="session", params=VERSIONS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jspsych")
    install_node(folder, *VERSIONS[request.param])
    (folder / "experiment.html").write_text(EXPERIMENT)
    return folder


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with serve_folder(folder) as url:
        yield f"{url}experiment.html?list=2"


def test_jspsych_experiment_is_previewed_done_and_approved(
    page: Page, sites: Sites, credentials: Credentials, address: str
) -> None:
    requester = requester_with(sites, credentials)
    hit_id = requester.post(external_question(address))

    worker, preview = working.preview(page, sites=sites)
    expect(preview.get_by_text("Accept the HIT to take part.")).to_be_visible()
    frame = working.accept(page)
    for choice in ("Begin", "blue", "green"):
        frame.get_by_role("button", name=choice).click()
    working.expect_submitted(page)
    review = requester.approve(hit_id)

    trials = json.loads(review.answers.pop("data"))
    assert (review.worker_id, review.status) == (worker.external_id, "Approved")
    assert review.answers == {"colors": "0 1 0"}
    assert [trial["stimulus"] for trial in trials][2] == "“Grass” & moss are"
    assert {trial["worker"] for trial in trials} == {worker.external_id}
