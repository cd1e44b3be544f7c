"""Releases: what may be published, how it is written, and how anyone can check it.

Everything is computed from its inputs; nothing here reads a store, a clock or the network.
"""
