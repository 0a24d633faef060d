from rest_framework.routers import SimpleRouter

from crowd.winoventi.api import evaluations, pairs, projects, words

router = SimpleRouter()
router.register("winoventi/projects", projects.WinoventiProjectViewSet, basename="winoventi-project")
router.register("winoventi/steps", projects.StepViewSet, basename="winoventi-step")
router.register("winoventi/nouns", words.NounViewSet, basename="winoventi-noun")
router.register("winoventi/generics", words.GenericViewSet, basename="winoventi-generic")
router.register("winoventi/alternatives", words.AlternativeViewSet, basename="winoventi-alternative")
router.register("winoventi/premises", pairs.PremiseViewSet, basename="winoventi-premise")
router.register("winoventi/judgements", pairs.JudgementViewSet, basename="winoventi-judgement")
router.register("winoventi/prompts", pairs.PromptViewSet, basename="winoventi-prompt")
router.register("winoventi/choices", pairs.ChoiceViewSet, basename="winoventi-choice")
router.register("winoventi/words", pairs.SpecialWordViewSet, basename="winoventi-word")
router.register("winoventi/evaluations", evaluations.EvaluationViewSet, basename="winoventi-evaluation")
router.register("winoventi/model-answers", evaluations.ModelAnswerViewSet, basename="winoventi-model-answer")

urlpatterns = router.urls
