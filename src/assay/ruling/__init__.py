"""Ruling: from the words of a document to an answer that cites them.

Read it in this order: `facts` (what a document says, with its exact words), `rules` (what follows
from facts), `review` (what a person must decide), `arbiter` (which of two rules prevails),
`release` (what is published, and how anyone can check it), `answers` (what applies on a day).
Only packs that declare facts use it.
"""
