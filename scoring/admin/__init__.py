from scoring.admin import launch_facts, model_questions, rivals, studies, verdicts

__all__ = ["launch_facts", "model_questions", "rivals", "studies", "verdicts"]
