"""Releases: what may be published, how it is written down, and how anyone can check it.

All of it is computed from what it is given; nothing here reads a store, a clock or the network.
"""
