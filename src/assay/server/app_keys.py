"""What every area of the server finds in the web application."""

from aiohttp import web

from assay.app import App

APP = web.AppKey("assay", App)
"""The key of the Assay application."""
