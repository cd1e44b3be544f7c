"""The routes of packs, mounted next to Assay's own."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from aiohttp import web

from assay.app.console_addresses import CONSOLE_ROOTS
from assay.errors import InvalidInput
from assay.sdk.pack import Pack
from assay.sdk.services import Services
from assay.sdk.web import Handler

RequestHandler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OWN = "Assay itself"
"""The owner of the addresses that do not belong to a pack."""
_VARIABLE = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class ClaimedAddress:
    """A method and a path, and who handles them."""

    owner: str
    method: str
    path: str
    handler: Handler

    @property
    def key(self) -> tuple[str, str]:
        """Equal for addresses that match the same requests."""
        return self.method, _VARIABLE.sub("{}", self.path)


def mount_packs(made: web.Application, packs: Mapping[str, Pack], services: Services) -> None:
    """Add every address of the packs; if two claim the same one, the error names both."""
    for address in claim_free_addresses(made, packs):
        made.router.add_route(
            address.method, address.path, _bind_services(address.handler, services)
        )


def claim_free_addresses(
    made: web.Application, packs: Mapping[str, Pack]
) -> tuple[ClaimedAddress, ...]:
    """All addresses of the packs; those that the application already handles are taken."""
    own = [(route.method, _path_of(route)) for route in made.router.routes()]
    return claim_addresses(packs.values(), own)


def claim_addresses(
    packs: Iterable[Pack], own: Iterable[tuple[str, str]] = ()
) -> tuple[ClaimedAddress, ...]:
    """All addresses of the packs, each claimed once; those in `own` are already taken."""
    packs = list(packs)
    owners = {(method, _VARIABLE.sub("{}", path)): OWN for method, path in own}
    for pack in packs:
        for page in () if pack.pages is None else pack.pages():
            path = f"/{pack.name}{page.path.rstrip('/')}"
            owners["GET", _VARIABLE.sub("{}", path)] = f"a page of the pack '{pack.name}'"
    found: list[ClaimedAddress] = []
    for pack in packs:
        for address in _list_addresses(pack):
            owner = OWN if _is_of_console(address.path) else owners.get(address.key)
            if owner is not None:
                raise InvalidInput(
                    f"The pack '{pack.name}' claims {address.method} {address.path}, "
                    f"which {owner} already handles.",
                    advice="Change the path in one of them, or uninstall one.",
                )
            owners[address.key] = f"the pack '{pack.name}'"
            found.append(address)
    return tuple(found)


def _is_of_console(path: str) -> bool:
    """Whether the console answers there; its first name decides, a variable included."""
    first = path.split("/")[1]
    return first in CONSOLE_ROOTS or bool(_VARIABLE.match(first))


def _list_addresses(pack: Pack) -> Iterator[ClaimedAddress]:
    for route in () if pack.routes is None else pack.routes():
        yield _check_address(
            ClaimedAddress(pack.name, route.method.upper(), route.path, route.handler)
        )


def _check_address(address: ClaimedAddress) -> ClaimedAddress:
    if not address.path.startswith("/") or address.path == "/":
        raise InvalidInput(
            f"The pack '{address.owner}' has a route to '{address.path}'.",
            advice="A path must begin with / followed by a name.",
        )
    return address


def _path_of(route: web.AbstractRoute) -> str:
    return "" if route.resource is None else route.resource.canonical


def _bind_services(handler: Handler, services: Services) -> RequestHandler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await handler(request, services)

    return answer
