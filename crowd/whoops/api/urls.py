from rest_framework.routers import SimpleRouter

from crowd.whoops.api import designers, images, projects, texts, training_images

router = SimpleRouter()
router.register("whoops/projects", projects.WhoopsProjectViewSet, basename="whoops-project")
router.register("whoops/designers", designers.DesignerViewSet, basename="whoops-designer")
router.register("whoops/categories", projects.WeirdCategoryViewSet, basename="whoops-category")
router.register("whoops/images", images.WeirdImageViewSet, basename="whoops-image")
router.register("whoops/revisions", images.WeirdRevisionViewSet, basename="whoops-revision")
router.register("whoops/edits", images.WeirdEditViewSet, basename="whoops-edit")
router.register("whoops/control-answers", images.ControlAnswerViewSet, basename="whoops-control-answer")
router.register("whoops/reviews", images.HarmReviewViewSet, basename="whoops-review")
router.register("whoops/annotations", texts.ImageAnnotationViewSet, basename="whoops-annotation")
router.register("whoops/questions", texts.JudgedQuestionViewSet, basename="whoops-question")
router.register(
    "whoops/training-images", training_images.TrainingImageViewSet, basename="whoops-training-image"
)
router.register("whoops/samples", projects.SampleViewSet, basename="whoops-sample")
router.register("whoops/matching-scores", projects.MatchingScoresViewSet, basename="whoops-matching-scores")

urlpatterns = router.urls
