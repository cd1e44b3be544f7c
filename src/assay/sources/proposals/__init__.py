"""Propose how to read a listing that nobody has described yet."""

from assay.sources.proposals.recognition import (
    ListingProposal,
    PageLinks,
    find_own_address,
    recognize_listing,
)
from assay.sources.proposals.trial import ListingTrial, SelectorCount, try_listing

__all__ = [
    "ListingProposal",
    "ListingTrial",
    "PageLinks",
    "SelectorCount",
    "find_own_address",
    "recognize_listing",
    "try_listing",
]
