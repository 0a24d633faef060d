from crowd.whoops.models.annotations import Annotation
from crowd.whoops.models.control_and_review import ControlAnswer, Review
from crowd.whoops.models.designers import Designer
from crowd.whoops.models.image_edits import ImageEdit
from crowd.whoops.models.images import Category, Image, Partner, Revision
from crowd.whoops.models.judged_items import Option, Question
from crowd.whoops.models.matching import MatchingRow, MatchingScores
from crowd.whoops.models.partner_search import PartnerProposal, PartnerSearch
from crowd.whoops.models.projects import Project
from crowd.whoops.models.question_making import QuestionMaking
from crowd.whoops.models.samples import Sample
from crowd.whoops.models.training import TrainingImage

__all__ = [
    "Annotation",
    "Category",
    "ControlAnswer",
    "Designer",
    "Image",
    "ImageEdit",
    "MatchingRow",
    "MatchingScores",
    "Option",
    "Partner",
    "PartnerProposal",
    "PartnerSearch",
    "Project",
    "Question",
    "QuestionMaking",
    "Review",
    "Revision",
    "Sample",
    "TrainingImage",
]
