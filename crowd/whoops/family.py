"""Weird images, as a family."""

from crowd.family import Family
from crowd.whoops.asking.annotate import AnnotateFamily
from crowd.whoops.asking.answers import AnswersFamily
from crowd.whoops.asking.captions import CaptionsFamily
from crowd.whoops.asking.control import ControlFamily
from crowd.whoops.asking.design import DesignFamily
from crowd.whoops.asking.examples import ExamplesFamily
from crowd.whoops.asking.explanations import ExplanationsFamily
from crowd.whoops.asking.identify import IdentifyFamily
from crowd.whoops.asking.images_policy import ImagesPolicy
from crowd.whoops.exporting.export import WhoopsExport
from crowd.whoops.roles import ROLES
from crowd.whoops.services.pulling import follow_pictures, items_of_pictures
from qualifications.models import Gate
from qualifications.presets import Preset

FIVE_EXAMPLES = Preset(
    key="whoops.annotator",
    name="Strange images: five examples",
    description="Five images: say what each shows, and what is strange about it. A person reads it.",
    test_task=ExamplesFamily.key,
    opens=[AnnotateFamily.key],
    grading=Gate.Grading.PERSON,
    items=5,
)

FAMILY = Family(
    key="whoops",
    name="Weird images",
    tasks=[
        DesignFamily(),
        ControlFamily(),
        AnnotateFamily(),
        ExamplesFamily(),
        IdentifyFamily(),
        ExplanationsFamily(),
        AnswersFamily(),
        CaptionsFamily(),
    ],
    policies=[ImagesPolicy()],
    roles=ROLES,
    gates=[FIVE_EXAMPLES],
    audit_subjects={"whoops.": "Weird images", "image.": "Decisions on weird images"},
    tables="crowd.whoops.admin.statistics.tables_of_study",
    export=WhoopsExport(),
    urls={"design/": "crowd.whoops.workspace.urls"},
    demo="crowd.whoops.demo.weird.WhoopsDemo",
    follow_pictures=follow_pictures,
    items_of_pictures=items_of_pictures,
)
