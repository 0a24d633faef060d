from scoring.admin import model_questions, rivals, studies, verdicts

__all__ = ["model_questions", "rivals", "studies", "verdicts"]
