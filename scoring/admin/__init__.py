from scoring.admin import model_questions, rival_facts, rivals, studies, verdicts

__all__ = ["model_questions", "rival_facts", "rivals", "studies", "verdicts"]
