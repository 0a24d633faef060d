"""A bucket with S3's interface, through boto3; credentials and region are those of its own environment."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import IO, Any, cast

from crowd.releases.files.stores import File, ReleaseStore, StoreAway
from crowd.releases.models import Release

# Larger files are sent in pieces, one after another, so that memory stays flat.
LARGE, PIECE = 64 * 1024 * 1024, 16 * 1024 * 1024
MISSING = {"404", "NoSuchKey", "NotFound"}


class BucketStore(ReleaseStore):
    def __init__(self, name: str, *, endpoint_url: str = "") -> None:
        self._name, self._endpoint_url = name, endpoint_url

    def holds(self, file: File) -> bool:
        return bool(file.get("bucket") == self._name)

    def keep(self, release: Release, file: File) -> File:
        """Send a file, unless the bucket has it with this size and digest."""
        from boto3.s3.transfer import TransferConfig  # noqa: PLC0415 - slow to load

        key, source = _key(release, file["name"]), release.folder / file["name"]
        with self._reached() as client:
            if not self._has(client, key, file):
                with source.open("rb") as content:
                    client.upload_fileobj(
                        content,
                        self._name,
                        key,
                        ExtraArgs={"Metadata": {"sha256": file["sha256"]}},
                        Config=TransferConfig(LARGE, multipart_chunksize=PIECE, use_threads=False),
                    )
        return {**file, "bucket": self._name}

    def open(self, release: Release, file: File) -> IO[bytes]:
        with self._reached() as client:
            found = client.get_object(Bucket=self._name, Key=_key(release, file["name"]))
        return cast(IO[bytes], found["Body"])

    def read(self, release: Release, file: File, *, most: int) -> bytes:
        with self._reached() as client:
            found = client.get_object(Bucket=self._name, Key=_key(release, file["name"]))
            return cast(bytes, found["Body"].read(most))

    def remove(self, release: Release) -> None:
        with self._reached() as client:
            listed = client.get_paginator("list_objects_v2").paginate(
                Bucket=self._name, Prefix=_key(release, "")
            )
            for page in listed:
                for one in page.get("Contents", ()):
                    client.delete_object(Bucket=self._name, Key=one["Key"])

    def check(self) -> str:
        with self._reached() as client:
            client.head_bucket(Bucket=self._name)
        return f"bucket {self._name}"

    def _has(self, client: Any, key: str, file: File) -> bool:
        from botocore.exceptions import ClientError  # noqa: PLC0415 - loaded with the client

        try:
            found = client.head_object(Bucket=self._name, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] in MISSING:
                return False
            raise
        is_same: bool = (found["ContentLength"], found["Metadata"].get("sha256")) == (
            file["bytes"],
            file["sha256"],
        )
        return is_same

    @contextmanager
    def _reached(self) -> Iterator[Any]:
        """Yield the client. Raises StoreAway, in words for people, whatever boto3 raises."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - loaded with the client

        try:
            yield _client(self._endpoint_url)
        except ClientError as error:
            raise StoreAway(f"The bucket {self._name} refused: {error}.") from error
        except (BotoCoreError, ValueError) as error:
            raise StoreAway(f"The bucket {self._name} cannot be reached: {error}.") from error


@lru_cache(maxsize=4)
def _client(endpoint_url: str) -> Any:
    """Return a client that sends no checksums of S3's own, which other services may not know."""
    import boto3  # noqa: PLC0415 - slow to load
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        retries={"mode": "standard", "total_max_attempts": 2},
        connect_timeout=3,
        read_timeout=30,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path"} if endpoint_url else None,
    )
    session = boto3.session.Session()
    client: Any = session.client("s3", endpoint_url=endpoint_url or None, config=config)
    return client


def _key(release: Release, name: str) -> str:
    return f"releases/{release.public_id}/{name}"
