from django.apps import AppConfig


class StatementConfig(AppConfig):
    name = "crowd.statement"

    def ready(self) -> None:
        from crowd.statement.statement_links import address_of_work
        from hits.sync import work_links

        work_links.register(address_of_work)
