"""A description of a release in Croissant, the vocabulary by which machines find and read data sets."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from crowd.releases.family_contents import ReleaseContents, ReleaseFile
from crowd.releases.licences import release_license
from crowd.releases.models import Release
from crowd.releases.services.release_rows import columns_in
from hits.datasets import columns as kinds
from hits.datasets.columns import Column

CONFORMS = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
# The vocabulary's own context, as its specification prints it.
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
TYPES = {
    kinds.TEXT: "sc:Text",
    kinds.TEXTS: "sc:Text",
    kinds.PERSON: "sc:Text",
    kinds.INTEGER: "sc:Integer",
    kinds.NUMBER: "sc:Float",
    kinds.FLAG: "sc:Boolean",
    kinds.MOMENT: "sc:DateTime",
}
ENCODINGS = {
    "csv": "text/csv",
    "jsonl": "application/jsonlines",
    "parquet": "application/x-parquet",
}


def write_croissant(release: Release, contents: ReleaseContents) -> str:
    """Return the description, made from the release alone, so that it can be written again."""
    files = contents.files(release)
    described = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": release.title,
        "description": f"{contents.items.capitalize()} of a study, frozen at {release.made_at.isoformat()}. "
        "README.md says how they were collected.",
        "version": release.version,
        "license": release_license(release),
        "url": f"urn:uuid:{release.public_id}",
        "citeAs": f"{release.title}, version {release.version}, release {release.public_id}",
        "datePublished": (release.released_at or release.made_at).date().isoformat(),
        "creator": {"@type": "sc:Organization", "name": release.study.lab or release.study.name},
        "inLanguage": release.study.language,
        "isLiveDataset": False,
        "rai:dataCollection": "People were asked over a crowdsourcing site; README.md describes the tasks.",
        "rai:dataCollectionType": ["Manual Human Curator", "Crowdsourcing"],
        "rai:dataAnnotationPlatform": "A marketplace with the API of Mechanical Turk",
        "rai:personalSensitiveInformation": "Pseudonyms of people, and what they wrote into their answers.",
        "distribution": list(_distribution(release)),
        "recordSet": [_records(release, file) for file in files],
    }
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _distribution(release: Release) -> Iterator[dict[str, Any]]:
    for file in release.files:
        encoding = ENCODINGS.get(file["name"].rpartition(".")[2])
        if encoding:
            yield {
                "@type": "cr:FileObject",
                "@id": file["name"],
                "name": file["name"],
                "contentUrl": file["name"],
                "contentSize": f"{file['bytes']} B",
                "encodingFormat": encoding,
                "sha256": file["sha256"],
            }


def _records(release: Release, file: ReleaseFile) -> dict[str, Any]:
    """Describe the rows by the file of JSON lines, which has all of them whatever their images."""
    return {
        "@type": "cr:RecordSet",
        "@id": file.name,
        "name": file.name,
        "description": file.words,
        "field": [_field(one, path=(file.name,), of=file) for one in columns_in(release, file)],
    }


def _field(one: Column, *, path: Sequence[str], of: ReleaseFile) -> dict[str, Any]:
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": "/".join((*path, one.name.replace(" ", "_"))),
        "name": one.name,
        "description": one.words,
        "source": {
            "fileObject": {"@id": f"{of.name}.jsonl"},
            "extract": {"column": one.name},
        },
    }
    if one.kind == kinds.ROWS:
        found["repeated"] = True
        found["dataType"] = "sc:Text"
    else:
        found["dataType"] = TYPES[one.kind]
        if one.kind == kinds.TEXTS:
            found["repeated"] = True
    return found
