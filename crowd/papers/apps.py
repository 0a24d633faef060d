from django.apps import AppConfig


class PapersConfig(AppConfig):
    name = "crowd.papers"
    verbose_name = "Papers"

    def ready(self) -> None:
        from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER, extend

        extend(("papers.view_papersetup",), RESEARCHER, REVIEWER, OPERATOR)
