"""`/health`: whether the store is there and fits this program."""

from assay.app import App
from assay.store.schema import VERSION_TABLE
from tests.server.sites import Asked


async def test_health_tells_whether_the_store_is_there(site: Asked, published: App) -> None:
    assert (await site.get("/health"))["status"] == "ok"
    async with site.session.head("/health") as answer:
        assert answer.status == 200
        assert answer.headers["Server"] == "assay"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    with published.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    status, told = await site.refused("/health")
    assert (status, told["code"]) == (503, "schema_too_new")
