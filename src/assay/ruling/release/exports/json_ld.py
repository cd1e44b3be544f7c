"""A release as JSON-LD: schema.org for the data set and its values, PROV-O for where they come
from, ELI for when they are in force, Web Annotation for the words. The context is embedded, so
reading the file needs no network."""

import json
from typing import Any

from assay.display import escape_controls
from assay.ruling.release.manifest import ManifestLine, ReleaseManifest

CONTEXT: dict[str, Any] = {
    "schema": "https://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "eli": "http://data.europa.eu/eli/ontology#",
    "oa": "http://www.w3.org/ns/oa#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "assay": "urn:assay:term:",
    "rules": {"@id": "schema:hasPart", "@container": "@list"},
    "name": "schema:name",
    "version": "schema:version",
    "identifier": "schema:identifier",
    "value": "schema:value",
    "unit": "schema:unitText",
    "concept": "schema:propertyID",
    "from": {"@id": "eli:first_date_entry_in_force", "@type": "xsd:date"},
    "until": {"@id": "eli:date_no_longer_in_force", "@type": "xsd:date"},
    "appliesWhen": {"@id": "assay:appliesWhen", "@type": "@json"},
    "appliesText": "assay:appliesText",
    "domain": "eli:is_about",
    "tier": "assay:tier",
    "valueType": "assay:valueType",
    "authority": "assay:authority",
    "confidence": {"@id": "assay:confidence", "@type": "xsd:decimal"},
    "approvedBy": "prov:wasAttributedTo",
    "quotedFrom": {"@id": "prov:wasQuotedFrom", "@container": "@set"},
    "revisionOf": {"@id": "prov:wasRevisionOf", "@type": "@id"},
    "source": {"@id": "oa:hasSource", "@type": "@id"},
    "publisher": "schema:publisher",
    "exact": "oa:exact",
    "start": {"@id": "oa:start", "@type": "xsd:nonNegativeInteger"},
    "end": {"@id": "oa:end", "@type": "xsd:nonNegativeInteger"},
    "page": "schema:pageStart",
    "article": "assay:article",
    "sha256": "schema:sha256",
    "textSha256": "assay:textSha256",
    "contentHash": "assay:contentHash",
}


def export_json_ld(manifest: ReleaseManifest) -> bytes:
    """The file: a data set with its rules in the order of the manifest."""
    header = manifest.header
    data: dict[str, Any] = {
        "@context": CONTEXT,
        "@id": _make_release_id(manifest.pack, manifest.version),
        "@type": ["schema:Dataset", "prov:Entity"],
        "name": f"{manifest.pack} {manifest.version}",
        "version": manifest.version,
        "contentHash": header["content_hash"],
        "rules": [_build_rule(rule) for rule in manifest.rules],
    }
    if header["previous"] is not None:
        data["revisionOf"] = _make_release_id(manifest.pack, str(header["previous"]))
    text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)
    return escape_controls(text).encode() + b"\n"


def _make_release_id(pack: str, version: str) -> str:
    return f"urn:assay:release:{pack}:{version}"


def _build_rule(rule: ManifestLine) -> dict[str, Any]:
    fields = {
        "@id": f"urn:assay:rule:{rule['rule_id']}",
        "@type": ["schema:PropertyValue", "prov:Entity"],
        "identifier": rule["rule_id"],
        "concept": rule["concept"],
        "name": rule["label"],
        "domain": rule["domain"],
        "tier": rule["tier"],
        "value": rule["value"],
        "valueType": rule["value_type"],
        "unit": rule["unit"] or None,
        "from": rule["effective_from"],
        "until": rule["effective_until"],
        "appliesWhen": rule["applies_when"],
        "appliesText": rule["applies_text"],
        "authority": rule["authority"],
        "confidence": str(rule["confidence"]),
        "approvedBy": _build_person(rule["approved_by"]),
        "quotedFrom": [_build_quote(source) for source in rule["sources"]],
    }
    return {name: value for name, value in fields.items() if value is not None}


def _build_person(name: str | None) -> dict[str, str] | None:
    return None if name is None else {"@type": "prov:Person", "name": name}


def _build_quote(source: ManifestLine) -> dict[str, Any]:
    fields = {
        "@type": ["oa:TextQuoteSelector", "oa:TextPositionSelector"],
        "exact": source["quote"],
        "start": source["start"],
        "end": source["end"],
        "page": source["page"],
        "article": source["article"] or None,
        "source": source["url"],
        "sha256": source["evidence_hash"],
        "textSha256": source["artifact_hash"],
        "publisher": {
            "@id": f"urn:assay:source:{source['source_slug']}",
            "@type": "schema:Organization",
            "name": source["name"],
        },
    }
    return {name: value for name, value in fields.items() if value is not None}
