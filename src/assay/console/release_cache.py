"""Releases in memory: they never change, and reading a manifest takes longer than most pages."""

from functools import lru_cache

from assay.app import App
from assay.app.asking import ReleasedRules, load_stored_rules
from assay.app.releases import find_release
from assay.model.rules import Release
from assay.ruling.release.manifest import ManifestLine, read_manifest

_CACHE_SIZE = 8


class ReleaseCache:
    """The releases that were asked for last."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._rules = lru_cache(maxsize=_CACHE_SIZE)(self._load_rules)
        self._lines = lru_cache(maxsize=_CACHE_SIZE)(self._load_lines)

    def find_rules(self, version: str | None = None, pack: str | None = None) -> ReleasedRules:
        """The rules of a release; by default of the newest one in force."""
        release = find_release(self._app, version, pack)
        return self._rules(release.manifest_hash, release.state)

    def read_lines(self, release: Release) -> tuple[ManifestLine, ...]:
        """The lines of a release's manifest."""
        return self._lines(release.manifest_hash)

    def _load_rules(self, manifest_hash: str, state: str) -> ReleasedRules:
        return load_stored_rules(self._app, manifest_hash, state)

    def _load_lines(self, manifest_hash: str) -> tuple[ManifestLine, ...]:
        return tuple(read_manifest(self._app.blobs.get(manifest_hash)).rules)
