"""A requester's script of boto3 and xmltodict, as Amazon's tutorials had it. Started as: python … TOPIC."""

from importlib import import_module
from pathlib import Path
from typing import Any

from asking import ask, report  # type: ignore[import-not-found] # beside this file

# Installed in an environment of its own, which this project's type checks do not see.
mturk: Any = import_module("boto3").client("mturk", region_name="us-east-1")
xmltodict: Any = import_module("xmltodict")

QUESTION = """<HTMLQuestion
  xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd">
<HTMLContent><![CDATA[
{}
]]></HTMLContent>
<FrameHeight>0</FrameHeight>
</HTMLQuestion>"""


def survey() -> Any:
    """Post the page questions.html, let a worker answer it, read the answers, and approve."""
    new_hit = mturk.create_hit(
        Title="A survey",
        Description="Answer two questions.",
        Keywords="survey",
        Reward="0.15",
        MaxAssignments=1,
        LifetimeInSeconds=172800,
        AssignmentDurationInSeconds=600,
        AutoApprovalDelayInSeconds=14400,
        Question=QUESTION.format(Path("questions.html").read_text()),
    )
    hit_id = new_hit["HIT"]["HITId"]
    ask("answer")
    results = mturk.list_assignments_for_hit(HITId=hit_id, AssignmentStatuses=["Submitted"])
    answers = {}
    for assignment in results["Assignments"]:
        fields = xmltodict.parse(assignment["Answer"])["QuestionFormAnswers"]["Answer"]
        # One field is a dictionary, several are a list of them.
        for field in fields if isinstance(fields, list) else [fields]:
            answers[field["QuestionIdentifier"]] = field["FreeText"]
        mturk.approve_assignment(AssignmentId=assignment["AssignmentId"])
    approved = mturk.list_assignments_for_hit(HITId=hit_id, AssignmentStatuses=["Approved"])
    return {"answers": answers, "approved": approved["NumResults"]}


report({"survey": survey})
