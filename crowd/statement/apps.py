from django.apps import AppConfig


class StatementConfig(AppConfig):
    name = "crowd.statement"
