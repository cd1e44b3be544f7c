"""A site on loopback that misbehaves in every way that real sites do, for tests."""

from tests.bad_site.site import BadSite, Exchange, SeenRequest, serve_in_thread

__all__ = ["BadSite", "Exchange", "SeenRequest", "serve_in_thread"]
