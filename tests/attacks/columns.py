"""Columns that no person writes. All others are attacked, so that a new one is attacked as well."""

from crowd.pictures.domain import LONGEST_CONCEPT

EVERY = {"*"}
# Texts that pages leave out if they are longer, although the column takes longer ones.
SHORTER = {"qualifications.SwowWord.text": LONGEST_CONCEPT}
# Texts that the program itself makes or depends on, table by table.
SPARED: dict[str, set[str]] = {
    # Django's own tables, and those of the roles.
    "auth.Group": EVERY,
    "auth.Permission": EVERY,
    "contenttypes.ContentType": EVERY,
    "hits.RoleGrant": EVERY,
    "sessions.Session": EVERY,
    # Names of the program's own tasks, measures and files, which forms offer or check.
    # Addresses, which are checked before they are stored.
    "hits.Account": {"endpoint", "worker_site", "ticket_key", "secret_access_key"},
    "hits.Batch": {"task", "requirements", "terms", "figures"},
    "hits.Bonus": {"figures"},
    "hits.Item": {"task"},
    "hits.Match": {"figures"},
    "hits.Study": {"bonus_rules", "language", "time_zone"},
    "pictures.Picture": {"key", "sha256", "original_sha256", "media_type"},
    "qualifications.Gate": {"test_task", "opens", "rules", "floors"},
    "rehearsal.Rehearsal": {"report"},  # its texts are hostile from the start
    "scoring.Score": {"measure"},
    "winogavil.PictureSet": {"recipe"},
    "winogavil_annotation.Annotation": {"labels"},
    "winogavil_annotation.Draw": {"recipe"},
    "winogavil_annotation.Judgement": {"given"},
    "benchmarks.Benchmark": {"task"},
    "benchmarks.Training": {"recipe"},
    "releases.Release": {"family", "version", "files", "counts", "sources"},
    "winogavil_releases.Statistics": EVERY,
    "winogavil_releases.ConcretenessList": {"ratings", "sha256"},
    "winoventi.Project": {"ks", "cuts"},
    # Sealed, signed or digested columns, whose contents are not shown.
    "hits.ApiToken": {"digest", "scopes"},
    "hits.Notice": {"body"},
    "hits.User": {"password"},
    "hits.Worker": {"external_id_index"},
    "qualifications.Demographics": {"answers"},
    "qualifications.PeopleCount": {"aged", "figures", "members"},
    "qualifications.SpokenEnglish": {"answer"},
    "winogavil_play.Player": {"password", "name_key"},
    "winogavil_play.PlayerSession": EVERY,
    "marketplace.AccessKey": EVERY,
    "marketplace.Invitation": EVERY,
    "marketplace.OperatorSession": EVERY,
    "marketplace.SigningKey": EVERY,
    "marketplace.WorkerSession": EVERY,
    # Ids that the marketplace gives, and documents that it has read before it kept them.
    "marketplace.Assignment": {"external_id"},
    "marketplace.HIT": {"external_id", "question", "free_ids"},
    "marketplace.HITType": {"external_id", "digest", "requirements"},
    "marketplace.Layout": {"external_id"},
    "marketplace.Operator": {"password"},
    "marketplace.QualificationRequest": {"external_id"},
    "marketplace.QualificationType": {"external_id", "test", "answer_key"},
    "marketplace.Requester": {"external_id", "fee_schedule", "ticket_key_sealed"},
    "marketplace.Worker": {"external_id", "password"},
}
