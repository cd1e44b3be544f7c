"""Generated reading lists and papers whose titles, authors and venues collide, as real ones do.

The same seed gives the same corpus. Lists are CSL-JSON and papers are plain text, so that everyone
can read them without a parser of their own.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

SEED: Final = 20_260_115
LISTS: Final = 5
_WORKS_PER_REFERENCE: Final = 0.4
_CHANGED: Final = 0.01
_SENTENCES: Final = 46
"""Of a paper: about 5,000 characters."""


def _split(words: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in words.split(","))


_FAMILIES: Final = _split(
    """Wang,Li,Zhang,Chen,Liu,Kim,Lee,Park,Singh,Kumar,Sharma,Müller,Schmidt,Novák,Horvat,Silva,
    Santos,García,López,Rossi,Bianchi,Dubois,Martin,Smith,Johnson,Brown,Tanaka,Sato,Nguyen,Tran,
    Ivanov,Petrov,Kowalski,Nowak,Yilmaz,Cohen,Levi,Haddad,Okafor,Mensah"""
)
_GIVEN: Final = _split(
    """Wei,Jing,Xin,Yu,Min,Jun,Hao,Anna,Maria,Jan,Eva,Ivan,Petra,Luka,Ana,José,Luis,Marco,Giulia,
    Pierre,Claire,John,Mary,David,Sarah,Kenji,Yuki,Linh,Minh,Olga,Sergei,Piotr,Ewa,Mehmet,Noa"""
)
_METHODS: Final = _split(
    """Deep Learning,Attention,Diffusion Models,Graph Networks,Self-Supervised Learning,
    Transformers,Gaussian Splatting,Neural Fields,Contrastive Learning,Active Learning,
    Bayesian Inference,Reinforcement Learning,Knowledge Distillation,Sparse Coding"""
)
_TASKS: Final = _split(
    """Object Detection,Image Segmentation,Depth Estimation,Pose Estimation,Machine Translation,
    Question Answering,Drug Discovery,Protein Folding,Weather Prediction,Video Generation,
    Speech Recognition,Anomaly Detection,Point Clouds,Medical Imaging,Robot Manipulation"""
)
_QUALITIES: Final = _split(
    """Robust,Efficient,Scalable,Unsupervised,Fast,Interpretable,Hierarchical,Multi-Scale,Sparse,
    Open-Vocabulary,Real-Time,Few-Shot,Uncertainty-Aware,Equivariant,Cross-Modal,Lightweight"""
)
_FORMS: Final = (
    "{q} {m} for {t}", "{t} with {q} {m}", "Towards {q} {t}", "{q} {m} and {n} in {t}",
    "Rethinking {m} for {q} {t}", "Learning {q} {t} by {m}", "{name}: {q} {m} for {t}",
    "{name}: {t} with {m}", "{name}: Towards {q} {t}", "Introducing {name}", "A Survey of {m}",
)  # fmt: skip
_VENUES: Final = _split(
    """Proceedings of the Conference on Computer Vision,Conference on Machine Learning,Nature,
    Science,Journal of Machine Learning Research,Transactions on Pattern Analysis,arXiv,
    Neural Computation,Workshop on Representation Learning,Bioinformatics"""
)
_SUBJECTS: Final = _split("the model,the encoder,our method,the baseline,each layer,the data set")
_VERBS: Final = _split("improves,predicts,reduces,explains,estimates,compares,encodes,bounds")
_OBJECTS: Final = _split(
    """the error on unseen images,a bound on the loss,the posterior of the weights,long sequences,
    the geometry of a scene,rare classes,noisy labels,the cost of inference,spatial structure,
    the variance between runs,a dense field of features,the alignment of two views"""
)
_ENDS: Final = _split(
    """under a fixed budget,without supervision,in most of the trials,after three epochs,
    as earlier work suggested,when the input is occluded,for every seed,at half the memory"""
)


@dataclass(frozen=True)
class GeneratedWork:
    """One work; different works may have the same title, authors and venue."""

    number: int
    arxiv: str
    doi: str
    title: str
    authors: tuple[tuple[str, str], ...]
    """Given and family name."""
    year: int
    venue: str


@dataclass(frozen=True)
class CorpusSize:
    """How much is generated."""

    references: int = 100_000
    documents: int = 10_000

    @property
    def works(self) -> int:
        return max(self.documents, int(self.references * _WORKS_PER_REFERENCE))


def make_work(number: int) -> GeneratedWork:
    """The work with this number, whatever else is generated."""
    random = Random(f"{SEED}/{number}")
    year = random.randint(2015, 2025)
    has_arxiv, has_doi = random.random() < 0.65, random.random() < 0.4
    title = random.choice(_FORMS).format(
        m=random.choice(_METHODS),
        n=random.choice(_METHODS),
        t=random.choice(_TASKS),
        q=random.choice(_QUALITIES),
        name="".join(random.choices("AEIOBDGLMNPRSTV", k=random.randint(2, 4))) + "Net",
    )
    return GeneratedWork(
        number=number,
        arxiv=f"{year % 100:02}{1 + number % 12:02}.{number % 100_000:05}" if has_arxiv else "",
        doi=f"10.{5000 + number % 97}/gen.{number}" if has_doi else "",
        title=title,
        authors=tuple(
            (random.choice(_GIVEN), random.choice(_FAMILIES)) for _ in range(random.randint(1, 6))
        ),
        year=year,
        venue=random.choice(_VENUES),
    )


def write_corpus(folder: Path, size: CorpusSize) -> None:
    """Write `lists/*.json` and `papers/*.txt`."""
    (folder / "lists").mkdir(parents=True)
    (folder / "papers").mkdir()
    works = [make_work(number) for number in range(size.works)]
    for index, items in enumerate(_make_lists(works, size)):
        _write_list(folder, index, items)
    random = Random(SEED)
    sentences = [_make_sentence(random) for _ in range(2_000)]
    for work in works[: size.documents]:
        path = folder / "papers" / name_paper(work)
        path.write_text(make_paper(work, sentences), encoding="utf-8")


def change_corpus(folder: Path, size: CorpusSize) -> None:
    """Change one entry in a hundred of every list, and one paper in a hundred."""
    for index in range(LISTS):
        items = json.loads(_name_list(folder, index).read_bytes())
        for at in range(index % 100, len(items), round(1 / _CHANGED)):
            items[at] = _make_entry(
                make_work(size.works + index * size.references + at), Random(at)
            )
        _write_list(folder, index, items)
    for number in list_changed_papers(size):
        path = folder / "papers" / name_paper(make_work(number))
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(find_mark(number), find_mark(number, again=True)), "utf-8")


def list_changed_papers(size: CorpusSize) -> range:
    """The numbers of the papers that change."""
    return range(7 % size.documents, size.documents, round(1 / _CHANGED))


def find_mark(number: int, *, again: bool = False) -> str:
    """Words that only this paper contains; others after it has changed."""
    random = Random(f"{SEED}/{number}/{again}")
    return " ".join("".join(random.choices("bcdfghklmnprstvwz", k=9)) for _ in range(6))


def name_paper(work: GeneratedWork) -> str:
    """The name of a paper's file: the id by which it is known."""
    if work.arxiv:
        return f"{work.arxiv}.txt"
    return f"{work.doi.replace('/', '_')}.txt" if work.doi else f"paper-{work.number}.txt"


def make_paper(work: GeneratedWork, sentences: list[str]) -> str:
    """The text of a paper: title, authors, abstract and three sections."""
    random = Random(f"{SEED}/{work.number}/text")
    chosen = random.choices(sentences, k=_SENTENCES)
    chosen[20] = f"The protocol is called {find_mark(work.number)}."
    parts = [" ".join(chosen[start : start + 6]) for start in range(0, _SENTENCES, 6)]
    names = ", ".join(f"{given} {family}" for given, family in work.authors)
    known = [f"arXiv:{work.arxiv}"] if work.arxiv else []
    known += [f"doi:{work.doi}"] if work.doi else []
    head = [work.title, names, f"{work.venue}, {work.year}", *known, "Abstract", parts[0]]
    body = ["1 Introduction", *parts[1:3], "2 Method", *parts[3:6], "3 Results", *parts[6:]]
    return "\n\n".join([*head, *body]) + "\n"


def _make_sentence(random: Random) -> str:
    subject, verb = random.choice(_SUBJECTS), random.choice(_VERBS)
    figure = f" by {random.randint(1, 99)} %" if random.random() < 0.4 else ""
    end = f"{random.choice(_OBJECTS)}{figure} {random.choice(_ENDS)}"
    more = f", and {random.choice(_METHODS).lower()} {random.choice(_VERBS)} it"
    return f"{subject[0].upper()}{subject[1:]} {verb} {end}{more}."


def _make_lists(works: list[GeneratedWork], size: CorpusSize) -> Iterator[list[dict[str, Any]]]:
    random = Random(SEED + 1)
    per_list, rest = divmod(size.references, LISTS)
    for index in range(LISTS):
        # Well-known works are in many lists.
        picks = (
            works[int(len(works) * random.random() ** 1.5)]
            for _ in range(per_list + (index < rest))
        )
        yield [_make_entry(work, random) for work in picks]


def _make_entry(work: GeneratedWork, random: Random) -> dict[str, Any]:
    """A work as someone writes it down: in capitals or not, with initials, with or without ids."""
    short = random.random() < 0.3
    authors = work.authors if random.random() < 0.8 else work.authors[:1]
    item: dict[str, Any] = {
        "id": f"w{work.number}-{random.randrange(10**9)}",
        "type": "article-journal",
        "title": work.title if random.random() < 0.7 else work.title.capitalize(),
        "author": [
            {"given": f"{given[0]}." if short else given, "family": family}
            for given, family in authors
        ],
    }
    if random.random() < 0.9:
        item["issued"] = {"date-parts": [[work.year]]}
    if random.random() < 0.7:
        item["container-title"] = work.venue
    if work.doi and (not work.arxiv or random.random() < 0.5):
        item["DOI"] = work.doi.upper() if random.random() < 0.2 else work.doi
    if work.arxiv and ("DOI" not in item or random.random() < 0.5):
        item["URL"] = f"https://arxiv.org/{random.choice(('abs', 'pdf'))}/{work.arxiv}"
    return item


def _name_list(folder: Path, index: int) -> Path:
    return folder / "lists" / f"list{index:02}.json"


def _write_list(folder: Path, index: int, items: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)
    _name_list(folder, index).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
