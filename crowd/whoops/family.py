"""The registration of weird images as a family of tasks."""

from functools import partial

from crowd.family import Family
from crowd.whoops.annotate.pages.annotate import AnnotateTask
from crowd.whoops.annotate.pages.examples import ExamplesTask
from crowd.whoops.control.pages.control_group import ControlTask
from crowd.whoops.design.pages.design import DesignTask
from crowd.whoops.domain import JUDGED
from crowd.whoops.images.services.withdrawal import follow_pictures, items_of_pictures
from crowd.whoops.images_policy import ImagesPolicy
from crowd.whoops.judge.pages.answers import AnswersTask
from crowd.whoops.judge.pages.captions import CaptionsTask
from crowd.whoops.judge.pages.explanations import ExplanationsTask
from crowd.whoops.judge.pages.identify import IdentifyTask
from crowd.whoops.models import Project
from crowd.whoops.paper import PAPER, ImagesOfPaper
from crowd.whoops.release_contents import WhoopsContents
from crowd.whoops.results.annotation_benchmarks import DescribeImages, RankCaptions
from crowd.whoops.results.explanation_benchmark import ExplainImages
from crowd.whoops.results.exporting.whoops_export import WhoopsExport
from crowd.whoops.results.identification_benchmark import IdentifyImages
from crowd.whoops.results.question_benchmark import AnswerQuestions
from crowd.whoops.roles import ROLES
from hits.batches.services.study_copies import copy_settings
from qualifications.models import Gate
from qualifications.presets import Preset

FIVE_EXAMPLES = Preset(
    key="whoops.annotator",
    name="Strange images: five examples",
    description="Five images: say what each shows, and what is strange about it. A person reads it.",
    test_task=ExamplesTask.key,
    opens=[AnnotateTask.key],
    grading=Gate.Grading.PERSON,
    items=5,
)

FAMILY = Family(
    key="whoops",
    name="Weird images",
    tasks=[
        DesignTask(),
        ControlTask(),
        AnnotateTask(),
        ExamplesTask(),
        IdentifyTask(),
        ExplanationsTask(),
        AnswersTask(),
        CaptionsTask(),
    ],
    policies=[ImagesPolicy()],
    roles=ROLES,
    gates=[FIVE_EXAMPLES],
    paper=PAPER,
    copy_study=partial(copy_settings, Project),
    project=ImagesOfPaper(),
    audit_subjects={"whoops.": "Weird images", "image.": "Decisions on weird images"},
    tables="crowd.whoops.results.admin.statistics.tables_of_study",
    tables_permission="whoops.view_project",
    export=WhoopsExport(),
    release=WhoopsContents(),
    benchmarks=[IdentifyImages(), ExplainImages(), RankCaptions(), AnswerQuestions(), DescribeImages()],
    urls={"api/": "crowd.whoops.api.urls", "design/": "crowd.whoops.design.urls"},
    rehearsals={
        ControlTask.key: "crowd.whoops.control.rehearsed_control.RehearsedControl",
        AnnotateTask.key: "crowd.whoops.annotate.rehearsed_annotation.RehearsedAnnotation",
        **dict.fromkeys(JUDGED, "crowd.whoops.rehearsed_judging.RehearsedJudging"),
    },
    unrehearsed={
        DesignTask.key: "Designers make images with tools of their own and send them over days, also after "
        "their HIT. How many somebody makes, and which of them are accepted, no number here can stand for.",
    },
    demo="crowd.whoops.demo.weird.WhoopsDemo",
    follow_pictures=follow_pictures,
    items_of_pictures=items_of_pictures,
)
