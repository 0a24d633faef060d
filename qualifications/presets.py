"""The gates of the four papers, as data to begin a gate from. A researcher may change every one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qualifications.models import Gate


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Where its task is not installed, it cannot be used yet."""

    key: str
    name: str
    description: str
    test_task: str
    opens: Sequence[str]
    grading: str
    rules: Sequence[Mapping[str, Any]] = field(default_factory=list)
    items: int = 10


_ALL = (
    Preset(
        key="winogavil.solver",
        name="Solver test",
        description="Ten words, each with some pictures: pick the pictures that belong to the word.",
        test_task="winogavil.solver_test",
        opens=["winogavil.solve"],
        grading=Gate.Grading.SCORES,
        rules=[{"measure": "jaccard", "above": 80}],
    ),
    Preset(
        key="winogavil.creator",
        name="Creator test",
        description="Ten sets of pictures: find a word for each that people understand and a model does not. "
        "It is graded once other people have solved your words.",
        test_task="winogavil.creator_test",
        opens=["winogavil.create"],
        grading=Gate.Grading.SCORES,
        rules=[{"measure": "fool", "above": 40}, {"measure": "solvable", "above": 80}],
    ),
    Preset(
        key="winoground.onboarding",
        name="Captions and images: first questions",
        description="Ten questions like those of the task. One mistake may be put right, a second not.",
        test_task="winoground.onboarding",
        opens=["winoground.validate"],
        grading=Gate.Grading.SCORES,
        # The page warns of the first mistake and lets it be changed; what counts is what was handed in.
        rules=[{"measure": "onboarding", "at_least": 100}],
    ),
    Preset(
        key="whoops.annotator",
        name="Strange images: five examples",
        description="Five images: say what each shows, and what is strange about it. A person reads it.",
        test_task="whoops.examples",
        opens=["whoops.annotate"],
        grading=Gate.Grading.PERSON,
        items=5,
    ),
    Preset(
        key="winoventi.walk",
        name="A walk through the steps",
        description="One noun, through every step of the work. A person reads it.",
        test_task="winoventi.walk",
        opens=["winoventi.exceptions", "winoventi.premises"],
        grading=Gate.Grading.PERSON,
        items=1,
    ),
)
PRESETS: Mapping[str, Preset] = {preset.key: preset for preset in _ALL}
