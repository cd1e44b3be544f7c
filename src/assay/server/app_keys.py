"""What every area of the server finds in the application."""

from aiohttp import web

from assay.app import App

APP = web.AppKey("assay", App)
"""Where the application is found."""
