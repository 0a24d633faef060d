from scoring.admin import model_questions, rival_facts, rivals, studies, verdicts, worker_scores

__all__ = ["model_questions", "rival_facts", "rivals", "studies", "verdicts", "worker_scores"]
