"""sumy's side of the summaries bench, and the scores of everyone's summaries.

Reads one JSON object: with `documents`, lists of sentences, it answers with the sentences of each
in the order in which TextRank and LexRank prefer them; with `pairs` of a summary and its reference,
with their ROUGE scores.
"""

import json
import re
import sys

from rouge_score.rouge_scorer import RougeScorer
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.nlp.stemmers import Stemmer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.text_rank import TextRankSummarizer
from sumy.utils import get_stop_words

SUMMARIZERS = {"TextRank": TextRankSummarizer, "LexRank": LexRankSummarizer}
MEASURES = ("rouge1", "rouge2", "rougeL")


class Tokenizer:
    """Words only: everyone gets the same sentences, and sumy's own splitter needs a download."""

    word = re.compile(r"[^\W\d_](?:[^\W\d_]|['-])*")

    def to_words(self, text):
        return tuple(self.word.findall(text))


def rank(documents, summarizer):
    tokenizer = Tokenizer()
    ranked = []
    for sentences in documents:
        order = []

        def remember(rated, order=order):
            order.extend(info.order for info in rated)
            return rated

        paragraph = Paragraph([Sentence(sentence, tokenizer) for sentence in sentences])
        summarizer(ObjectDocumentModel([paragraph]), remember)
        ranked.append(order)
    return ranked


def rank_with_all(documents):
    ranked = {}
    for name, make in SUMMARIZERS.items():
        summarizer = make(Stemmer("english"))
        summarizer.stop_words = get_stop_words("english")
        ranked[name] = rank(documents, summarizer)
    return ranked


def score(pairs):
    scorer = RougeScorer(MEASURES, use_stemmer=True)
    scored = (scorer.score(reference, summary) for summary, reference in pairs)
    return [[each[measure].fmeasure for measure in MEASURES] for each in scored]


def main():
    asked = json.load(sys.stdin)
    answer = rank_with_all(asked["documents"]) if "documents" in asked else score(asked["pairs"])
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
