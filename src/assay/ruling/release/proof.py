"""Checks a release from its manifest and the bytes that it names, and from nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.engine.grouping import group_pairs
from assay.errors import AssayError, ContentBroken, InvalidInput
from assay.errors.faults import Fault, FaultKind
from assay.model.hashes import content_hash
from assay.model.rules import PERSON_TIERS
from assay.ruling.facts.gates import is_value_in_quote
from assay.ruling.release.manifest import (
    ManifestLine,
    ReleaseManifest,
    list_quotations,
    read_manifest,
    serialize_content,
    serialize_manifest,
    sort_lines,
)
from assay.ruling.release.publication import sort_records
from assay.ruling.release.rule_standing import is_evidence_strong, is_quote_in_text
from assay.ruling.rules.authority import HIGHEST, LOWEST, authority_of
from assay.ruling.rules.conditions import parse_condition

BytesReader = Callable[[str], bytes]
"""Returns the bytes under a hash; raises an AssayError if they are missing or altered."""


@dataclass
class ReleaseProof:
    """The result of checking a release."""

    version: str = ""
    pack: str = ""
    manifest_hash: str = ""
    rules: int = 0
    quotes: int = 0
    """Quotes that were compared with the stored text."""
    documents: int = 0
    """Pieces of evidence whose bytes were compared with their hash."""
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What is worth knowing but is not a fault."""

    @property
    def ok(self) -> bool:
        return not self.faults


def verify_manifest(
    data: bytes, evidence: BytesReader, text: BytesReader, manifest_hash: str | None = None
) -> ReleaseProof:
    """Recheck everything that a manifest claims; `manifest_hash` is the one that it must have."""
    proof = ReleaseProof(manifest_hash=content_hash(data))
    if manifest_hash is not None and proof.manifest_hash != manifest_hash:
        what = f"its hash is {proof.manifest_hash} but should be {manifest_hash}"
        proof.faults.append(FaultKind.MANIFEST_ALTERED.report(f"the manifest was altered: {what}"))
    try:
        manifest = read_manifest(data)
    except ContentBroken as error:
        proof.faults.append(FaultKind.MANIFEST_INVALID.report(error.what.rstrip(".")))
        return proof
    proof.version, proof.pack = manifest.version, manifest.pack
    proof.rules = len(manifest.rules)
    proof.faults += _find_manifest_faults(data, manifest)
    for rule in manifest.rules:
        proof.faults += [fault.about(_name_rule(rule)) for fault in _find_rule_faults(rule)]
    _check_bytes(manifest, evidence, proof)
    _check_quotes(manifest, text, proof)
    # Plain-text evidence has the same bytes as its text, so a fault may be found twice.
    proof.faults = list(dict.fromkeys(proof.faults))
    return proof


def _find_manifest_faults(data: bytes, manifest: ReleaseManifest) -> Iterator[Fault]:
    """The faults if the bytes differ from what these rules would produce."""
    rules = list(manifest.rules)
    records = list(manifest.records)
    if content_hash(serialize_content(rules, records)) != manifest.header["content_hash"]:
        what = "the rules were altered: they do not have the content hash of the header"
        yield FaultKind.MANIFEST_INVALID.report(what)
    ids = [rule["rule_id"] for rule in rules]
    if len(ids) != len(set(ids)):
        yield FaultKind.MANIFEST_INVALID.report("the manifest contains a rule twice")
    header = manifest.header
    again = serialize_manifest(
        str(header["pack"]),
        str(header["version"]),
        header["previous"],
        sort_lines(rules),
        sort_records(records),
    )
    if again != data:
        what = "the manifest is not in the canonical form for these rules"
        yield FaultKind.MANIFEST_INVALID.report(what)


def _find_rule_faults(rule: ManifestLine) -> Iterator[Fault]:
    if rule["tier"] in PERSON_TIERS and not rule["approved_by"]:
        what = f"it is of tier {rule['tier']}, and no person approved it"
        yield FaultKind.APPROVAL_MISSING.report(what)
    if not rule["sources"]:
        yield FaultKind.SUPPORT_WEAK.report("it cites no source")
        return
    ranks = [(source["source_slug"], source["hierarchy"]) for source in rule["sources"]]
    if not all(HIGHEST <= rank <= LOWEST for _, rank in ranks):
        yield FaultKind.SUPPORT_WEAK.report("a source has no valid rank")
    else:
        if not is_evidence_strong(ranks):
            what = f"only {ranks[0][0]} supports it, and {ranks[0][0]} is not an official source"
            yield FaultKind.SUPPORT_WEAK.report(what)
        if rule["authority"] != authority_of(min(rank for _, rank in ranks)).name:
            what = f"none of its sources has the authority {rule['authority']}"
            yield FaultKind.SUPPORT_WEAK.report(what)
    try:
        parse_condition(rule["applies_when"])
    except InvalidInput as error:
        yield FaultKind.CONDITION_INVALID.report(f"its condition is not valid: {error}")


def _check_bytes(manifest: ReleaseManifest, evidence: BytesReader, proof: ReleaseProof) -> None:
    cited = (quoted for rule in manifest.rules for quoted in list_quotations(rule))
    for name in sorted({quoted["evidence_hash"] for quoted in cited}):
        proof.documents += 1
        if (found := _read_bytes(evidence, name, proof)) is not None and content_hash(
            found
        ) != name:
            proof.faults.append(FaultKind.BYTES_ALTERED.report(f"evidence {name} was altered"))


def _check_quotes(manifest: ReleaseManifest, text: BytesReader, proof: ReleaseProof) -> None:
    """Check text by text, so that only one is in memory at a time."""
    by_text = group_pairs(
        (quoted["artifact_hash"], (rule, quoted))
        for rule in manifest.rules
        for quoted in list_quotations(rule)
    )
    for name, cited in sorted(by_text.items()):
        data = _read_bytes(text, name, proof)
        if data is None:
            continue
        if content_hash(data) != name:
            proof.faults.append(FaultKind.BYTES_ALTERED.report(f"text {name} was altered"))
        words = data.decode("utf-8", "replace")
        for rule, source in cited:
            proof.quotes += 1
            proof.faults += [
                fault.about(_name_rule(rule)) for fault in _find_quote_faults(rule, source, words)
            ]


def _find_quote_faults(rule: ManifestLine, source: ManifestLine, words: str) -> Iterator[Fault]:
    if not is_quote_in_text(source["quote"], source["start"], source["end"], words):
        what = f"its quote was not found in text {source['artifact_hash']} at {source['start']}"
        yield FaultKind.QUOTE_NOT_FOUND.report(what)
    if "source_slug" not in source:
        # Amended words contain the old value, or none.
        return
    if not is_value_in_quote(rule["value"], rule["value_type"], rule["unit"], source["quote"]):
        value = f"{rule['value']} {rule['unit']}".strip()
        what = f"'{value}' was not found in its quote from {source['source_slug']}"
        yield FaultKind.VALUE_NOT_FOUND.report(what)


def _read_bytes(bytes_of: BytesReader, name: str, proof: ReleaseProof) -> bytes | None:
    try:
        return bytes_of(name)
    except AssayError as error:
        proof.faults.append(FaultKind.BYTES_ALTERED.report(error.what.rstrip(".")))
        return None


def _name_rule(rule: ManifestLine) -> str:
    return f"{rule['concept']} ({rule['rule_id']})"
