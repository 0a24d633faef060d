"""A requester's script that uses larry's module for MTurk. Started as: python larry_program.py TOPIC."""

from importlib import import_module
from typing import Any

from asking import ask, report  # type: ignore[import-not-found] # beside this file

# Installed in an environment of its own, which this project's type checks do not see.
mturk: Any = import_module("larry").mturk

TEMPLATE = """<!DOCTYPE html>
<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
<script type="text/javascript" src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>
</head>
<body>
<form name="mturk_form" method="post" id="mturk_form" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" value="" name="assignmentId" id="assignmentId">
<h2>What is shown?</h2>
{% for word in words %}
<label><input type="checkbox" name="word" value="{{ word|e }}"> {{ word|e }}</label>
{% endfor %}
<label>Anything else? <input name="else"></label>
<input type="hidden" name="context" value='{{ {"first": words[0]}|tojson }}'>
<input type="submit" id="submitButton" value="Send">
</form>
<script>turkSetAssignmentID();</script>
</body>
</html>"""


def label() -> Any:
    """Post a template with values, let a worker fill it in, read the answers as a dictionary, and approve."""
    mturk.use_sandbox()
    words = ["sky & sea", "<grass>", "moss"]
    hit = mturk.create_hit(
        title="Label a picture",
        description="Say what is shown.",
        reward_cents=25,
        max_assignments=1,
        question_template=TEMPLATE,
        template_context={"words": words},
        annotation={"picture": 17},
    )
    ask("label")
    (submitted,) = mturk.list_assignments_for_hit(hit.hit_id)
    mturk.approve(submitted.assignment_id, feedback="Thank you.")
    approved, of_hit = mturk.get_assignment(submitted.assignment_id)
    return {
        "answer": submitted.answer,
        "status": [submitted.status, approved.status],
        "annotation": of_hit.annotation,
        "balance": mturk.get_account_balance(),
    }


report({"label": label})
