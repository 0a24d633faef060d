from django.apps import AppConfig


class QuestionsConfig(AppConfig):
    name = "crowd.questions"
    verbose_name = "Question pages"
