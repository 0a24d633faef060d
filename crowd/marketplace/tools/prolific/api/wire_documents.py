"""What the API tells of each thing. A submission is told in two ways, by its list and by itself."""

from datetime import datetime

from crowd.marketplace.tools.prolific.state.cost_rules import Cost, cost_of, hourly_rate
from crowd.marketplace.tools.prolific.state.entities import (
    Group,
    Json,
    Message,
    Project,
    Study,
    Submission,
    Subscription,
    Workspace,
)
from crowd.marketplace.tools.prolific.state.study_states import taken

STUDY_ORDERS = ("date_created", "published_at", "name", "status")


def instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def workspace_document(workspace: Workspace) -> Json:
    return {"id": workspace.id, "title": workspace.title, "currency_code": workspace.currency_code}


def project_document(project: Project) -> Json:
    return {"id": project.id, "title": project.title, "workspace": project.workspace.id}


def cost_parts(cost: Cost) -> Json:
    return {"rewards": cost.rewards, "fees": cost.fees, "vat": cost.vat}


def cost_amounts(cost: Cost, currency: str) -> Json:
    parts = {"rewards": cost.rewards, "fees": cost.fees, "tax": cost.vat}
    return {name: {"amount": amount, "currency": currency} for name, amount in parts.items()}


def study_document(study: Study) -> Json:
    whole = cost_of(study.reward * study.places, fee_rate=study.workspace.fee_rate)
    minutes = study.fields["estimated_completion_time"]
    return {
        **study.fields,
        "id": study.id,
        "status": study.status,
        "project": study.project.id,
        "workspace": study.workspace.id,
        "date_created": instant(study.created_at),
        "published_at": instant(study.published_at),
        "publish_at": instant(study.publish_at),
        "places_taken": taken(study),
        "number_of_submissions": len(study.submissions),
        "currency_code": study.workspace.currency_code,
        "average_reward_per_hour": hourly_rate(reward=study.reward, minutes=minutes),
        "total_cost": whole.total,
    }


def study_row(study: Study) -> Json:
    """A study in a list: the little that all lists tell."""
    whole = study_document(study)
    names = (
        "id",
        "name",
        "internal_name",
        "status",
        "project",
        "reward",
        "total_available_places",
        "places_taken",
        "number_of_submissions",
        "date_created",
        "published_at",
        "total_cost",
    )
    return {name: whole[name] for name in names}


def submission_row(submission: Submission) -> Json:
    return {
        "id": submission.id,
        "participant_id": submission.participant.id,
        "status": submission.status,
        "started_at": instant(submission.started_at),
        "completed_at": instant(submission.completed_at),
        "study_code": submission.entered_code,
    }


def submission_document(submission: Submission) -> Json:
    return {
        "id": submission.id,
        "participant": submission.participant.id,
        "study_id": submission.study.id,
        "status": submission.status,
        "started_at": instant(submission.started_at),
        "completed_at": instant(submission.completed_at),
        "entered_code": submission.entered_code,
        "bonus_payments": list(submission.bonuses),
        "return_requested": submission.return_reasons,
        "rejection": submission.rejection,
    }


def group_document(group: Group) -> Json:
    return {
        "id": group.id,
        "name": group.name,
        "workspace_id": group.workspace.id,
        "participant_count": len(group.participant_ids),
        "is_deleted": group.is_deleted,
    }


def message_document(message: Message) -> Json:
    return {
        "id": message.id,
        "sender_id": message.sender_id,
        "recipient_id": message.recipient_id,
        "body": message.body,
        "study_id": message.study_id,
        "sent_at": instant(message.sent_at),
    }


def subscription_document(subscription: Subscription) -> Json:
    return {
        "id": subscription.id,
        "workspace_id": subscription.workspace.id,
        "event_type": subscription.event_type,
        "target_url": subscription.target_url,
        "is_enabled": subscription.is_enabled,
        "is_confirmed": subscription.is_confirmed,
    }
