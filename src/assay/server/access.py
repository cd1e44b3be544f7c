"""Who may pass: finds whose request it is, and refuses what they may not do.

Everything else behind this point may rely on it: handlers of this process read the principal from
the request, and other processes get it in headers that a client cannot set.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from urllib.parse import quote

from aiohttp import hdrs, web

from assay.app import App
from assay.app.logins import find_session, find_token
from assay.app.principals import (
    ADDRESS_HEADER,
    ANONYMOUS,
    LOCAL,
    LOGIN_HEADER,
    ROLE_HEADER,
    SESSION_COOKIE,
    USER_HEADER,
    LoginKind,
    Principal,
    Role,
    is_login_needed,
)
from assay.errors import ForeignRequest, LoginNeeded, RoleMissing
from assay.sdk.principals import AUTHENTICATED
from assay.server.failures import answer_error

PRINCIPAL = web.RequestKey("principal", Principal)
"""The key of whose request it is."""
OPEN = ("/health", "/login", "/static/", "/auth/")
"""What everybody may request: an address, or everything below it."""
_SCHEME = "Bearer "
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")
"""What a proxy adds to the requests of others."""
_SAFE = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
_KNOWN_S = 2.0
"""How long a login that was ended, or a role that was taken away, may still have an effect."""
_MOST_KNOWN = 1_000
_THREADS = 4

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
RoleOf = Callable[[web.Request], Role]


class Doorkeeper:
    """Knows whose requests come to a server."""

    def __init__(self, app: App, host: str) -> None:
        self.app = app
        self.needs_login = is_login_needed(app.settings, host)
        # Of their own: a login must not wait behind what others ask of the store.
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="access")
        self._known: OrderedDict[str, tuple[Principal, float]] = OrderedDict()

    def close(self) -> None:
        self._threads.shutdown(wait=False)

    async def find_principal(self, request: web.Request) -> Principal:
        """Whose request this is."""
        if not self.needs_login:
            _refuse_forwarded(request)
            return LOCAL
        given = request.headers.getall(hdrs.AUTHORIZATION, [])
        if given:
            token = given[0].removeprefix(_SCHEME).strip()
            is_bearer = len(given) == 1 and given[0].startswith(_SCHEME)
            return await self._look_up("t", token) if is_bearer else ANONYMOUS
        cookie = request.cookies.get(SESSION_COOKIE)
        return ANONYMOUS if not cookie else await self._look_up("s", cookie)

    def client_address(self, request: web.Request) -> str:
        """Where a request comes from, as far as it is known."""
        if self.app.settings.serve_proxy:
            # The last one is from the proxy itself; those before it may be the client's invention.
            told = ",".join(request.headers.getall("X-Forwarded-For", [])).rpartition(",")[2]
            if told.strip():
                return told.strip()[:64]
        return request.remote or ""

    async def _look_up(self, kind: str, token: str) -> Principal:
        known = self._known.get(kind + token)
        if known is not None and known[1] > monotonic():
            return known[0]
        find = find_token if kind == "t" else find_session
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, find, self.app, token)
        if found is None:
            self._known.pop(kind + token, None)
            return ANONYMOUS
        self._known[kind + token] = found, monotonic() + _KNOWN_S
        self._known.move_to_end(kind + token)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return found


DOORKEEPER = web.AppKey("doorkeeper", Doorkeeper)
"""The key of who knows whose requests come."""


@web.middleware
async def access_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Find whose request it is, and refuse it if they may not send it."""
    principal = await request.app[DOORKEEPER].find_principal(request)
    remember_principal(request, principal)
    if is_open(request.path):
        return await handler(request)
    if principal.role is None:
        return _ask_for_login(request)
    needed = required_role(request)
    if not principal.may(needed):
        raise RoleMissing(
            f"This needs the role '{needed}'; {principal.name} has the role '{principal.role}'."
        )
    return await handler(request)


@web.middleware
async def told_access_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Believe what the server says, in a process that only the server can reach."""
    if request.headers.get(LOGIN_HEADER, LoginKind.NONE) != LoginKind.NONE:
        request[AUTHENTICATED] = request.headers[USER_HEADER]
    return await handler(request)


def remember_principal(request: web.Request, principal: Principal) -> None:
    """Let handlers know whose request it is."""
    request[PRINCIPAL] = principal
    if principal.is_authenticated:
        request[AUTHENTICATED] = principal.name


def is_open(path: str) -> bool:
    """Whether everybody may request an address."""
    return any(path == known or (known[-1] == "/" and path.startswith(known)) for known in OPEN)


def required_role(request: web.Request) -> Role:
    """The least role that a request needs here; the console asks for more where it must.

    A pack's route may spend or change something unless it only reads.
    """
    route = request.match_info.route
    is_of_pack = route.resource is not None and route.resource.canonical in request.app[PACK_PATHS]
    return Role.REVIEWER if is_of_pack and request.method not in _SAFE else Role.READER


PACK_PATHS = web.AppKey("pack_paths", frozenset[str])
"""The key of the paths that packs answer."""


def name_pack_paths(made: web.Application, before: Iterable[str]) -> None:
    """Note which paths packs added to those that were there before."""
    made[PACK_PATHS] = frozenset(list_paths(made)) - frozenset(before)


def list_paths(made: web.Application) -> list[str]:
    """Every path that the application answers, as it was declared."""
    return [resource.canonical for resource in made.router.resources()]


def principal_headers(request: web.Request) -> dict[str, str]:
    """What another process is told about whose request it is."""
    principal = request[PRINCIPAL]
    told = {
        USER_HEADER: principal.name,
        LOGIN_HEADER: principal.login.value,
        ADDRESS_HEADER: request.app[DOORKEEPER].client_address(request),
    }
    return told if principal.role is None else {**told, ROLE_HEADER: principal.role.value}


def _ask_for_login(request: web.Request) -> web.StreamResponse:
    """Lead a person to the login; tell a program that it needs one."""
    wants_page = "text/html" in request.headers.get(hdrs.ACCEPT, "")
    has_token = hdrs.AUTHORIZATION in request.headers
    to = f"/login?next={quote(request.rel_url.raw_path_qs, safe='')}"
    if request.method in _SAFE and wants_page and not has_token:
        return web.Response(status=303, headers={hdrs.LOCATION: to, hdrs.CACHE_CONTROL: "no-store"})
    answer = answer_error(
        LoginNeeded(
            "The token is not valid, or no longer."
            if has_token
            else "This server needs to know who asks."
        )
    )
    if "HX-Request" in request.headers:
        # A part of a page was asked for: the whole page has to go.
        answer.headers["HX-Redirect"] = "/login"
    return answer


def _refuse_forwarded(request: web.Request) -> None:
    """Without a login, whoever reaches this machine is trusted; a proxy brings others."""
    for name in _FORWARDED:
        if name in request.headers:
            raise ForeignRequest(
                f"The request comes through a proxy (it has the header {name}), and this server "
                "has no login.",
                advice="Set serve_login = 'always', or name the proxy's site in serve_hosts.",
            )
