"""A store with questions for the review desk, and as many other facts as a large one has."""

from collections.abc import Iterable, Iterator, Sequence

from assay.app import App
from assay.model.records import Document, Record, ReviewRequest
from assay.model.rules import Conflict, RuleStatus
from assay.ruling.review.consequences import make_request_id
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms, reason_of_tier
from assay.ruling.review.judgement import make_evidence_key
from assay.ruling.rules.rule_relations import make_conflict_id, make_side
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records
from tests.ruling.release_builders import FORUM, LAW, OFFICE, RATE, Stated, condition

_BATCH = 5_000


def pending(stated: Stated) -> Stated:
    """The same rule, before anybody decided about it."""
    return stated.but(status=RuleStatus.PENDING_REVIEW.value, approved_by=None)


def make_questions(count: int) -> list[Stated]:
    """Rules that wait: different levies, and every fifth a case of the one before it."""
    return [
        pending(
            RATE.but(
                concept=f"levy_{number - number % 5}.rate",
                label=f"levy {number - number % 5}: rate",
                value=str(3 + (number - number % 5) % 90),
                applies_when=condition(activity=f"trade_{number}"),
                words=f"The rate of levy {number} is {{value}} {{unit}}.",
            )
        )
        for number in range(count)
    ]


def request_of(app: App, stated: Stated, place: int = 0) -> ReviewRequest:
    """The question about a rule, as the review stage asks it."""
    reason = reason_of_tier(stated.tier)
    now_ms = app.clock.now_ms()
    pointers = [ground.pointer for ground in stated.grounds()]
    return ReviewRequest(
        request_id=make_request_id(reason, stated.rule_id, make_evidence_key(pointers)),
        reason=reason.value,
        subject_kind="rule",
        subject=stated.rule_id,
        source_slug=pointers[0].source_slug,
        question=f"Does this hold? {stated.concept} is {stated.value} {stated.unit}.",
        created_ms=now_ms,
        deadline_ms=now_ms + answer_time_ms(reason, stated.tier) + place,
    )


def ask(app: App, *stated: Stated) -> list[str]:
    """Store rules with the question about each; gives the ids of the questions, in their order."""
    requests = [request_of(app, each, place) for place, each in enumerate(stated)]
    records: list[Record] = []
    for each in stated:
        app.blobs.put_all(each.pieces())
        records += each.records()
    _write(app, [*records, *requests], hashed=True)
    return [request.request_id for request in requests]


def dispute(app: App, count: int, values: Sequence[str] = ("5", "13", "25")) -> str:
    """A conflict of that many rules, which a person has to decide; gives its id."""
    sides = [
        pending(
            RATE.but(
                value=values[number % len(values)],
                effective_from=None if number == 0 else f"20{number % 90:02d}-01-01",
                sources=((LAW, OFFICE, FORUM)[number % 3],),
                words=f"Clause {number}: the rate is {{value}} {{unit}}.",
                effective_until=f"{2100 + number}-01-01",
            )
        )
        for number in range(count)
    ]
    rules = [each.rule for each in sides]
    key = make_conflict_id(rules[0])
    conflict = Conflict(
        conflict_id=key, pack=rules[0].pack, concept=rules[0].concept,
        value_type=rules[0].value_type, unit=rules[0].unit, applies_when=rules[0].applies_when,
        kind="SOURCE", sign="VALUE_MISMATCH", state="ESCALATED", resolution="ESCALATE_TO_HUMAN",
        ground="authority", recommendation=rules[0].rule_id,
    )  # fmt: skip
    request = ReviewRequest(
        request_id=make_request_id(ReviewReason.CONFLICT, key, ""), reason="CONFLICT",
        subject_kind="conflict", subject=key,
        question=f"Which of these {count} rules holds for pdv.rate? Recommended: "
        f"{rules[0].rule_id}, by authority: the law comes first. A person decides because all "
        "are T0.",
        deadline_ms=app.clock.now_ms() + 1,
    )  # fmt: skip
    records: list[Record] = [conflict, request]
    for each in sides:
        app.blobs.put_all(each.pieces())
        records += each.records()
    records += [make_side(key, rule.rule_id, rule.effective_until) for rule in rules]
    _write(app, records, hashed=True)
    return key


def fill(app: App, facts: int) -> None:
    """Published rules, each with a fact and a document of its own, besides the questions."""
    _write(app, _make_filling(facts), hashed=False)


def _make_filling(facts: int) -> Iterator[Record]:
    for number in range(facts):
        stated = RATE.but(
            concept=f"duty_{number % 5_000}.rate.kind_{number % 7}",
            label=f"duty {number % 5_000}: rate",
            status=RuleStatus.PUBLISHED.value,
            value=str(number % 90),
            effective_from=f"{1900 + number % 120}-01-01",
            words=f"The rate of duty {number} is {{value}} {{unit}}.",
        )
        (ground,) = stated.grounds()
        assert ground.evidence and ground.source
        yield from (stated.rule, stated.named, ground.pointer, stated.fact(ground.pointer))
        if number < 10_000:
            url = ground.evidence.url
            yield Document(doc_id=ground.evidence.doc_id, source_slug="gazette", url=url)
            yield ground.evidence


def _write(app: App, records: Iterable[Record], *, hashed: bool) -> None:
    batch: list[Record] = []

    def write() -> None:
        with app.engine.begin() as connection:
            upsert_records(connection, batch)
            if hashed:
                record_row_hashes(connection, batch, 1)
        batch.clear()

    for record in records:
        batch.append(record)
        if len(batch) >= _BATCH:
            write()
    write()
