from hits.common import clock
from hits.common.sweeps import sweep
from scoring.services import pending_work, score_recording


@sweep("scoring.judge_submitted", rest_s=2)
def judge_submitted() -> None:
    score_recording.judge_submitted(now=clock.now())


@sweep("scoring.answer_rival_queries", rest_s=0.05, due_at=pending_work.next_answer, queue="rival")
def answer_rival_queries() -> None:
    from scoring.services import rival_answers  # noqa: PLC0415

    rival_answers.answer_waiting()


@sweep("scoring.fill_pools", rest_s=10, due_at=pending_work.next_filling, queue="rival")
def fill_pools() -> None:
    from scoring.services import embedding_backfill  # noqa: PLC0415

    embedding_backfill.fill_pools()


@sweep("scoring.read_vocabularies", rest_s=30, due_at=pending_work.next_reading, queue="rival")
def read_vocabularies() -> None:
    from scoring.services import embedding_backfill  # noqa: PLC0415

    embedding_backfill.read_vocabularies()


@sweep("scoring.answer_questions", rest_s=3, due_at=pending_work.next_question_answer, queue="rival")
def answer_questions() -> None:
    from scoring.services import answering_questions  # noqa: PLC0415 - as above

    answering_questions.answer_questions()
