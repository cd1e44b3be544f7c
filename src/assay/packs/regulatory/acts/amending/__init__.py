"""Amending acts: their instructions as operations, and the acts that result from applying them."""
