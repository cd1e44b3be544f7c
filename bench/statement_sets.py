"""Sentences of public corpora with a value in each and how the sentence puts it forward.

What the people who annotated a corpus marked decides the mode, never the cues of the check that is
measured: a treebank has the clause of a value, what negates the clause, what makes it a condition
and which verb governs it; ConanDoyle-neg has the scope of each negation; the factuality corpus of
the University of Washington has how certain readers were that an event happened. Sentences whose
annotation does not settle the mode are left out. The data is read where it lies.
"""

import hashlib
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from assay.reading.statements import StatementMode as Mode

TREEBANKS: Final = (
    ("en", "UniversalDependencies/UD_English-EWT", ("en_ewt-ud-dev", "en_ewt-ud-test")),
    ("en", "UniversalDependencies/UD_English-GUM", ("en_gum-ud-dev", "en_gum-ud-test")),
    ("de", "UniversalDependencies/UD_German-GSD", ("de_gsd-ud-dev", "de_gsd-ud-test")),
    ("de", "UniversalDependencies/UD_German-PUD", ("de_pud-ud-test",)),
    ("hr", "UniversalDependencies/UD_Croatian-SET", ("hr_set-ud-dev", "hr_set-ud-test")),
)
FACTUALITY: Final = ("njjiang/factuality_bert", ("glue_data/UW/dev", "glue_data/UW/test"))
SCOPES: Final = "joey234/negation-focused-pretraining"
"""Has ConanDoyle-neg and BioScope."""
_DOYLE: Final = "data/starsem-st-2012-data/cd-sco/corpus/{}-GOLD.txt"
_PAPERS: Final = "data/bioscope/full_papers.xml"
_IF: Final = frozenset(["if", "unless", "wenn", "falls", "sofern", "ako", "ukoliko"])
_WHETHER: Final = frozenset(["whether", "ob"])
_SAY: Final = frozenset(
    [
        "say",
        "claim",
        "allege",
        "assert",
        "sagen",
        "behaupten",
        "erklären",
        "berichten",
        "kazati",
        "reći",
        "tvrditi",
        "izjaviti",
    ]
)
_WANT: Final = frozenset(
    [
        "want",
        "hope",
        "wish",
        "intend",
        "demand",
        "wollen",
        "hoffen",
        "wünschen",
        "fordern",
        "željeti",
        "nadati",
        "namjeravati",
    ]
)
_MAY: Final = frozenset(["would", "could", "might"])
_CLAUSES: Final = frozenset(["root", "ccomp", "xcomp", "advcl", "acl", "parataxis", "csubj"])
_NAMED: Final = re.compile(r"(?<![\w-])(?=\w*[A-Z0-9])\w{3,}(?![\w-])")
_LIMITED: Final = frozenset(["only", "just", "nur", "bloß", "samo"])
_CONTRAST: Final = frozenset(
    ["but", "sondern", "nego", "već", "until", "before", "bis", "sve", "than"]
)


@dataclass(frozen=True, slots=True)
class MarkedStatement:
    """A sentence, the place of a value in it, and its mode."""

    corpus: str
    language: str
    text: str
    start: int
    end: int
    mode: Mode
    only_negation: bool = False
    """Whether the corpus tells only what is negated."""

    @property
    def is_held_out(self) -> bool:
        """Half of the sentences, chosen by a hash: looked at only as totals."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 0


class CorpusMissing(Exception):
    """A corpus is not where it should be."""


@dataclass(frozen=True, slots=True)
class _Node:
    index: int
    form: str
    lemma: str
    tag: str
    feats: str
    head: int
    relation: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.form)

    @property
    def denies(self) -> bool:
        return "Polarity=Neg" in self.feats or (
            "PronType=Neg" in self.feats and self.relation.startswith(("det", "nsubj", "obj"))
        )


class _Tree:
    """A sentence as a treebank has it."""

    def __init__(self, text: str, nodes: dict[int, _Node]) -> None:
        self.text = text
        self.nodes = nodes
        self.below: dict[int, list[_Node]] = defaultdict(list)
        for node in nodes.values():
            self.below[node.head].append(node)

    def find_clause(self, node: _Node) -> _Node | None:
        """The predicate of the clause of a word that is at most three steps below it."""
        for _ in range(4):
            if self._is_predicate(node):
                return node
            if node.head == 0:
                return None
            node = self.nodes[node.head]
        return None

    def _is_predicate(self, node: _Node) -> bool:
        relation = node.relation.partition(":")[0]
        if relation in _CLAUSES:
            return True
        own = {child.relation.partition(":")[0] for child in self.below[node.index]}
        return relation == "conj" and (node.tag == "VERB" or "cop" in own or "nsubj" in own)

    def judge_clause(self, clause: _Node) -> Mode | None:
        """How a clause is put forward, without what governs it; None if that is not settled."""
        children = self.below[clause.index]
        marks = {child.lemma.lower() for child in children if child.relation == "mark"}
        if marks & _IF and clause.relation.startswith("advcl"):
            return Mode.CONDITIONAL
        if marks & _WHETHER:
            return Mode.ASKED
        denying = [child for child in children if child.denies]
        denying += [g for child in children for g in self.below[child.index] if g.denies]
        words = {node.form.lower() for node in self.nodes.values()}
        if denying:
            is_doubtful = words & (_LIMITED | _CONTRAST) or len(denying) > 1
            direct = any(child.denies for child in children)
            return None if is_doubtful or not direct else Mode.NEGATED
        for child in children:
            if child.tag == "AUX" and (child.lemma in _MAY or "Mood=Cnd" in child.feats):
                return Mode.CONDITIONAL
            if child.tag == "AUX" and child.form.lower() in ("würde", "würden", "könnte"):
                return Mode.CONDITIONAL
            if child.relation.startswith("advcl") and self._is_condition(child):
                return None
            if child.relation == "parataxis" or "Mood=Sub" in child.feats:
                return None
            if child.tag == "AUX" and child.lemma in ("wollen", "sollen", "should", "may"):
                return None
        return None if "Mood=" in clause.feats and "Ind" not in clause.feats else Mode.ASSERTED

    def _is_condition(self, clause: _Node) -> bool:
        own = self.below[clause.index]
        return any(child.relation == "mark" and child.lemma.lower() in _IF for child in own)

    def judge_statement(self, clause: _Node) -> Mode | None:
        """How a clause is put forward, together with what governs it."""
        if self.text.rstrip().endswith("?"):
            return Mode.ASKED if clause.relation == "root" else None
        mode = self.judge_clause(clause)
        while mode is Mode.ASSERTED and clause.head != 0:
            above = self.find_clause(self.nodes[clause.head])
            if above is None:
                return None
            relation = clause.relation.partition(":")[0]
            if relation == "ccomp" and above.lemma in _SAY:
                return Mode.REPORTED
            if relation in ("ccomp", "xcomp") and above.lemma in _WANT:
                return Mode.WISHED
            if relation not in ("acl", "conj") or clause.relation == "acl":
                return None
            governing = self.judge_clause(above)
            if governing is not Mode.ASSERTED and relation == "conj":
                own = {child.relation for child in self.below[clause.index]}
                if not {"nsubj", "nsubj:pass"} & own:
                    return None
            clause = above
            if relation == "conj" and governing is Mode.ASSERTED:
                mode = governing
        return mode

    def list_triggers(self) -> set[int]:
        """Words that could mislead: negations, conditions, and verbs of speech and wishes."""
        return {
            node.index
            for node in self.nodes.values()
            if node.denies
            or node.lemma.lower() in (_IF | _WHETHER | _SAY | _WANT | _MAY)
            or "Mood=Cnd" in node.feats
        }


def read_corpora(mirrors: Path) -> Iterator[MarkedStatement]:
    """All marked sentences of all corpora below a folder of clones, `owner+name/repo`."""
    for language, repository, files in TREEBANKS:
        for file in files:
            data = _show(mirrors, repository, f"{file}.conllu")
            yield from _read_treebank(repository.partition("/")[2], language, data)
    repository, files = FACTUALITY
    for file in files:
        yield from _read_factuality(_show(mirrors, repository, f"{file}.jsonl"))
    for part in ("cardboard", "circle"):
        path = _DOYLE.format(f"test-gold/SEM-2012-SharedTask-CD-SCO-test-{part}")
        yield from _read_stories(_show(mirrors, SCOPES, path))
    yield from _read_papers(_show(mirrors, SCOPES, _PAPERS))


def _show(mirrors: Path, repository: str, path: str) -> str:
    folder = mirrors / repository.replace("/", "+") / "repo"
    command = ["git", "-C", str(folder), "show", f"HEAD:{path}"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise CorpusMissing(
            f"{path} of github.com/{repository} is not in {folder}: clone it there."
        )
    return done.stdout.decode()


def _read_treebank(corpus: str, language: str, data: str) -> Iterator[MarkedStatement]:
    for block in data.split("\n\n"):
        tree = _parse_tree(block)
        if tree is None or not 6 <= len(tree.nodes) <= 45:
            continue
        triggers = tree.list_triggers()
        if not triggers and not tree.text.endswith("?"):
            continue
        seen: set[Mode] = set()
        for node in tree.nodes.values():
            if node.tag not in ("PROPN", "NUM") or node.relation in ("flat", "compound"):
                continue
            clause = tree.find_clause(node)
            mode = None if clause is None else tree.judge_statement(clause)
            if mode is not None and mode not in seen:
                seen.add(mode)
                yield MarkedStatement(corpus, language, tree.text, node.start, node.end, mode)


def _parse_tree(block: str) -> _Tree | None:
    text, nodes, at = "", {}, 0
    for line in block.splitlines():
        if line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        cells = line.split("\t")
        if len(cells) != 10 or not cells[0].isdigit():
            continue
        # The parts of a contraction, `zu dem` for `zum`, are not found in the text.
        start = text.find(cells[1], at, at + len(cells[1]) + 2)
        if start >= 0:
            at = start + len(cells[1])
        nodes[int(cells[0])] = _Node(
            int(cells[0]), cells[1], cells[2], cells[3], cells[5], int(cells[6]), cells[7],
            start if start >= 0 else at,
        )  # fmt: skip
    return _Tree(text, nodes) if text and nodes else None


def _read_factuality(data: str) -> Iterator[MarkedStatement]:
    """Events that readers were sure of, and those that they were not; none that somebody says."""
    for line in data.splitlines():
        entry: Mapping[str, object] = json.loads(line)
        words = str(entry["text"]).split(" ")
        folded = {word.lower() for word in words}
        if folded & {"said", "says", "say", "told", "saying", "``", "''"}:
            continue
        targets = entry["targets"]
        assert isinstance(targets, list)
        for target in targets:
            place, label = target["span1"][0], float(target["label"])
            start = len(" ".join(words[:place])) + (place > 0)
            end = start + len(words[place])
            mode = None
            if label >= 2.8:
                mode = Mode.ASSERTED
            elif label <= -1.5:
                mode = Mode.NEGATED
            elif -0.5 <= label <= 0.5:
                mode = Mode.CONDITIONAL
            if mode is not None:
                yield MarkedStatement("UW factuality", "en", " ".join(words), start, end, mode)


def _read_stories(data: str) -> Iterator[MarkedStatement]:
    """A noun in the scope of a negation, and one outside it, of each sentence with negations."""
    for block in data.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines()]
        if not rows or len(rows[0]) < 10:
            continue
        text, places = "", []
        for row in rows:
            glued = row[3] in ",.;:!?''" or "'" in row[3] or not text
            text += row[3] if glued else f" {row[3]}"
            places.append((len(text) - len(row[3]), len(text)))
        seen: set[Mode] = set()
        for row, place in zip(rows, places, strict=True):
            scopes = row[8::3]
            mode = Mode.NEGATED if any(scope != "_" for scope in scopes) else Mode.ASSERTED
            if row[5].startswith("NN") and mode not in seen:
                seen.add(mode)
                yield MarkedStatement("ConanDoyle-neg", "en", text, *place, mode, True)


def _read_papers(data: str) -> Iterator[MarkedStatement]:
    """A name or figure in the scope of a negation or speculation, and one outside of any."""
    for sentence in ElementTree.fromstring(data.partition("?>")[2]).iter("sentence"):
        cues = list(sentence.iter("cue"))
        if not cues or any((cue.text or "").lower() in ("or", "and/or") for cue in cues):
            continue
        text = "".join(sentence.itertext())
        scopes = _list_scopes(sentence)
        seen: set[Mode] = set()
        for match in _NAMED.finditer(text, 1):
            inside = {kind for start, end, kind in scopes if start <= match.start() < end}
            mode = Mode.ASSERTED
            if inside:
                mode = Mode.NEGATED if inside == {"negation"} else Mode.CONDITIONAL
            if mode not in seen:
                seen.add(mode)
                yield MarkedStatement("BioScope papers", "en", text, *match.span(), mode)


def _list_scopes(sentence: ElementTree.Element) -> list[tuple[int, int, str]]:
    """Where each scope begins and ends, and what kind it is."""
    kinds = {cue.get("ref"): cue.get("type", "") for cue in sentence.iter("cue")}
    found: list[tuple[int, int, str]] = []

    def walk(element: ElementTree.Element, at: int) -> int:
        begin = at
        at += len(element.text or "")
        for child in element:
            at = walk(child, at) + len(child.tail or "")
        if element.tag == "xcope":
            found.append((begin, at, kinds.get(element.get("id"), "")))
        return at

    walk(sentence, 0)
    return found
