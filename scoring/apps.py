from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from hits.queries.people import register_means
        from hits.queries.scores import register_scores
        from scoring.records import read_means, read_scores

        register_means(read_means)
        register_scores(read_scores)
