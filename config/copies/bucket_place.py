"""A bucket with S3's interface; credentials and region are those of boto3's own environment.

It is botocore's client, which boto3 hands out too: the marketplace alone has no boto3.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from django.core.management import CommandError

# A file is sent in at most 10,000 parts, so parts grow with it; it is fetched in pieces of one size.
PIECE, GROWS_EVERY = 16 * 1024 * 1024, 1000
MISSING = {"404", "NoSuchKey", "NotFound"}


class BucketPlace:
    def __init__(self, bucket: str, folder: str, *, endpoint_url: str) -> None:
        self._bucket, self._prefix = bucket, f"{folder}/" if folder else ""
        self._endpoint_url = endpoint_url
        self._made: Any = None

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        """Send a file in parts. Nothing can be seen of it before all of them are joined at the end."""
        upload = _Upload(self, Bucket=self._bucket, Key=self._prefix + name)
        try:
            yield cast(IO[bytes], upload)
            upload.complete()
        except BaseException:
            upload.abort()
            raise

    def local(self, name: str, *, folder: Path) -> Path:
        path = folder / name.replace("/", "-")
        key = {"Bucket": self._bucket, "Key": self._prefix + name}
        size = int(self.ask("head_object", **key)["ContentLength"])
        with path.open("wb") as file:
            path.chmod(0o600)
            for start in range(0, size, PIECE):
                end = min(start + PIECE, size) - 1
                file.write(self.ask("get_object", **key, Range=f"bytes={start}-{end}")["Body"])
        return path

    def names(self, below: str = "") -> set[str]:
        wanted = {"Prefix": self._prefix + below, **({} if below else {"Delimiter": "/"})}
        found = {
            one["Key"].removeprefix(self._prefix)
            for page in self.ask("list_objects_v2", Bucket=self._bucket, **wanted)
            for one in page.get("Contents", ())
        }
        return found if below else {name for name in found if "/" not in name}

    def remove(self, name: str) -> None:
        self.ask("delete_object", Bucket=self._bucket, Key=self._prefix + name)

    def address(self, name: str) -> str:
        return f"s3://{self._bucket}/{self._prefix}{name}"

    def ask(self, operation: str, **about: Any) -> Any:
        """Call the service; a body is read to its end, a list through all pages. Raises CommandError."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - slow to load

        try:
            if operation.startswith("list"):
                return list(self._client.get_paginator(operation).paginate(**about))
            answer = getattr(self._client, operation)(**about)
            return {**answer, "Body": answer["Body"].read()} if "Body" in answer else answer
        except ClientError as error:
            if error.response["Error"]["Code"] in MISSING and "Key" in about:
                raise CommandError(f"There is no file s3://{self._bucket}/{about['Key']}.") from error
            raise CommandError(f"The bucket {self._bucket} refused: {error}.") from error
        except (BotoCoreError, ValueError, OSError) as error:
            raise CommandError(f"The bucket {self._bucket} cannot be reached: {error}.") from error

    @property
    def _client(self) -> Any:
        """Make a client that sends no checksums of S3's own, which other services may not know."""
        if self._made is None:
            from botocore.config import Config  # noqa: PLC0415 - slow to load
            from botocore.session import get_session  # noqa: PLC0415 - slow to load

            config = Config(
                retries={"mode": "standard", "total_max_attempts": 4},
                connect_timeout=5,
                read_timeout=60,
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                s3={"addressing_style": "path"} if self._endpoint_url else None,
            )
            self._made = get_session().create_client(
                "s3", endpoint_url=self._endpoint_url or None, config=config
            )
        return self._made


class _Upload(io.RawIOBase):
    def __init__(self, place: BucketPlace, **key: str) -> None:
        super().__init__()
        self._place, self._key = place, key
        self._held = bytearray()
        self._id, self._parts, self._sent = "", list[dict[str, Any]](), 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._sent + len(self._held)

    def write(self, content: Any) -> int:
        self._held += content
        while len(self._held) >= (size := PIECE * (1 + len(self._parts) // GROWS_EVERY)):
            self._send(size)
        return len(content)

    def complete(self) -> None:
        """Send the rest, and let the file appear; a small one goes in one call."""
        if not self._id:
            self._place.ask("put_object", **self._key, Body=bytes(self._held))
            return
        if self._held:
            self._send(len(self._held))
        parts = {"Parts": self._parts}
        self._place.ask("complete_multipart_upload", **self._key, UploadId=self._id, MultipartUpload=parts)

    def abort(self) -> None:
        if not self._id:
            return
        with suppress(CommandError):  # why it failed is what counts
            self._place.ask("abort_multipart_upload", **self._key, UploadId=self._id)

    def _send(self, size: int) -> None:
        self._id = self._id or self._place.ask("create_multipart_upload", **self._key)["UploadId"]
        content, number = bytes(self._held[:size]), len(self._parts) + 1
        sent = self._place.ask("upload_part", **self._key, UploadId=self._id, PartNumber=number, Body=content)
        self._parts.append({"ETag": sent["ETag"], "PartNumber": number})
        self._sent += size
        del self._held[:size]
