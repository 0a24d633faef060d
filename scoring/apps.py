from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from hits.core import audit_subjects
        from hits.identity import roles
        from hits.payments.queries.recorded_scores import register_mean, register_scores
        from hits.people.queries.worker_record import register_means
        from scoring.score_readers import mean_of_scores, read_means, read_scores

        # Questions hold texts of every study, so only people who see all studies see them.
        roles.extend(("scoring.view_modelquestion", "scoring.retry_modelquestion"), roles.OPERATOR)
        audit_subjects.register({"rival.": "Models that answer beside people"})
        register_means(read_means)
        register_scores(read_scores)
        register_mean(mean_of_scores())
