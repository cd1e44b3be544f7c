"""A check for robots is told from a document that only has a word in common with it."""

import pytest

from assay.sources.responses import is_bot_wall

_LAW = b"<p>The authority shall publish the request within 30 days.</p>"


@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html><html lang='en'><head><title>Just a moment...</title></head><body>",
        b"<html><head><TITLE>\n Access Denied</TITLE></head><body>Reference 18.a1",
        b"<html><head></head><body><iframe src='/_Incapsula_Resource?CWUDNSAI=9&xinfo=1'>",
        b"<html><script>window._cf_chl_opt={cvId:'3'}</script>",
        b'<html><script>window.gokuProps = {"key":"a"}</script>',
        b"<html><p>Please enable JavaScript and cookies to continue</p>",
    ],
)
def test_a_check_for_robots_is_seen(page: bytes) -> None:
    assert is_bot_wall(page)


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"%PDF-1.7 Just a moment",
        b"<html><title>Moments of inertia</title>" + _LAW,
        b"<html><title>Rules on access</title><p>Access denied to minors.</p>" + _LAW,
        b"<html><title>Act</title><script src='/_Incapsula_Resource?SWJIYLWA=1'></script>" + _LAW,
        b"<html><title>Act</title><script src='/cdn-cgi/challenge-platform/jsd/main.js'>" + _LAW,
        b"<html><title>Security check of aircraft</title>" + _LAW * 1000,
        b"<html><title>Act</title>" + _LAW * 300 + b"<p>window.gokuProps</p>",
    ],
)
def test_a_document_is_none(page: bytes) -> None:
    assert not is_bot_wall(page)
