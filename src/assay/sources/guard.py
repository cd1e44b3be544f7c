"""Where Assay may go, judged by the host name and by the connected address."""

import errno
import socket
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from assay.errors import AddressRefused, InvalidSetting
from assay.sources.addresses import IP, PORTS, WebAddress, encode_host, is_host_in
from assay.sources.policy import FetchPolicy

# Written out instead of using `is_global`, whose meaning has changed between Python versions.
_KINDS_4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "an unspecified address"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a provider's inner address"),
        ("127.0.0.0/8", "a loopback address"),
        ("168.63.129.16/32", "a cloud's metadata address"),
        ("169.254.0.0/16", "a link-local address, where clouds keep their metadata"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "an address for documentation"),
        ("192.88.99.0/24", "a reserved address"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "an address for tests"),
        ("198.51.100.0/24", "an address for documentation"),
        ("203.0.113.0/24", "an address for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
    )
)
_KINDS_6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "an unspecified address"),
        ("::1/128", "a loopback address"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("ff00::/8", "a multicast address"),
        ("2001::/23", "a reserved address"),
        ("2001:db8::/32", "an address for documentation"),
        ("2002::/16", "an address that hides another one (6to4)"),
        ("3fff::/20", "an address for documentation"),
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def describe_non_public_ip(ip: IP) -> str | None:
    """What kind of address a non-public one is; `None` for a public one."""
    ip = unwrap_ip(ip)
    if isinstance(ip, IPv4Address):
        return next((kind for network, kind in _KINDS_4 if ip in network), None)
    kind = next((kind for network, kind in _KINDS_6 if ip in network), None)
    if kind is None and ip not in _GLOBAL_6:
        return "a reserved address"
    return kind


def unwrap_ip(ip: IP) -> IP:
    """The IPv4 address behind an IPv6 one that only wraps it: mapped, or through NAT64."""
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return ip.ipv4_mapped
        if ip in _NAT64:
            return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip


FIRST_FREE_PORT = 1024
ALLOW_ADVICE = "If it is yours, add it to fetch_allow_private."
_LOCAL_NAMES = frozenset({"localhost", "*.localhost"})

AddressInfo = tuple[
    int | socket.AddressFamily,
    int | socket.SocketKind,
    int,
    str,
    tuple[object, ...],
]


class PrivateAddressError(OSError):
    """A name led to an address that is not public; aiohttp passes it on like any OSError."""

    def __init__(self, ip: str, kind: str) -> None:
        super().__init__(errno.EACCES, f"it leads to {ip}, {kind}")
        self.what = f"leads to {ip}, {kind}"


class AddressGuard:
    """Judges addresses by a policy."""

    def __init__(self, policy: FetchPolicy) -> None:
        self._blocked = _parse_host_patterns(policy.blocked_hosts, "blocked_hosts")
        self._stand_ins = {encode_host(name): base for name, base in policy.hosts.items()}
        allowed = policy.allow_private
        self._all = allowed is True
        names, self._networks = _split_names_and_networks(
            () if isinstance(allowed, bool) else allowed
        )
        self._names = _parse_host_patterns(names, "fetch_allow_private")
        # Addresses that were allowed by name; the socket knows only the address.
        self._granted: set[IP] = set()

    def is_stand_in(self, host: str) -> bool:
        """Whether the user mapped this name to their own address."""
        return host in self._stand_ins

    def resolve_url(self, address: WebAddress) -> str:
        """The address that is actually requested."""
        base = self._stand_ins.get(address.host)
        if base is None:
            return address.url
        parts = urlsplit(base)
        return f"{parts.scheme}://{parts.netloc}{address.path}"

    def check(self, address: WebAddress, label: str) -> None:
        """Refuse what can be judged by the name alone; messages call the address `label`."""
        host = address.host
        if is_host_in(host, self._blocked):
            raise AddressRefused(
                f"{label} is on a blocked host.", advice="Remove it from blocked_hosts."
            )
        if host in self._stand_ins or self._all or is_host_in(host, self._names):
            if address.ip is not None:
                self._grant(host)
            return
        kind = None if address.ip is None else self._find_kind(address.ip)
        if is_host_in(host, _LOCAL_NAMES):
            kind = "a loopback address"
        if kind is not None:
            raise AddressRefused(f"{label} is at {host}, {kind}.", advice=ALLOW_ADVICE)
        if address.port < FIRST_FREE_PORT and address.port not in PORTS.values():
            raise AddressRefused(
                f"{label} is at port {address.port}, which belongs to another protocol.",
                advice="If it is a web server of yours, add its host to fetch_allow_private.",
            )

    def refusal_of(self, host: str, found: str) -> str | None:
        """What kind of address a host resolved to, if it may not be contacted there."""
        if self._all or is_host_in(host, self._names):
            self._grant(found)
            return None
        ip = _parse_ip(found)
        return "no address" if ip is None else self._find_kind(ip)

    def open_socket(self, info: AddressInfo) -> socket.socket:
        """A socket for this address: the last check, of what will really be connected."""
        family, kind, protocol, _, target = info
        ip = _parse_ip(str(target[0]))
        if not self._all and ip not in self._granted:
            inward = "no address" if ip is None else self._find_kind(ip)
            if inward is not None:
                raise PrivateAddressError(str(target[0]), inward)
        return socket.socket(family, kind, protocol)

    def _find_kind(self, ip: IP) -> str | None:
        inner = unwrap_ip(ip)
        if any(inner in network or ip in network for network in self._networks):
            return None
        return describe_non_public_ip(ip)

    def _grant(self, found: str) -> None:
        ip = _parse_ip(found)
        if ip is not None and describe_non_public_ip(ip) is not None:
            self._granted.add(ip)


def build_stand_in_guard(policy: FetchPolicy) -> AddressGuard:
    """The guard of connections to the addresses in `[hosts]`, which the user chose.

    Only requests for the mapped names use these connections. If all requests did, a link or a
    redirect to such an address would open it to everyone who can write one.
    """
    bases = tuple(urlsplit(base).hostname or "" for base in policy.hosts.values())
    return AddressGuard(replace(policy, allow_private=policy.allow_private is True or bases))


class GuardedResolver(AbstractResolver):
    """Looks up names, and withholds the addresses that Assay must not contact.

    What it returns is what is connected, so a name that changes between two lookups gains
    nothing.
    """

    def __init__(self, guard: AddressGuard, inner: AbstractResolver | None = None) -> None:
        self._guard = guard
        self._inner = inner or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host that may be contacted."""
        fit: list[ResolveResult] = []
        inward: PrivateAddressError | None = None
        for entry in await self._inner.resolve(host, port, family):
            kind = self._guard.refusal_of(host, entry["host"])
            if kind is None:
                fit.append(entry)
            else:
                inward = PrivateAddressError(entry["host"], kind)
        if not fit and inward is not None:
            raise inward
        return fit

    async def close(self) -> None:
        await self._inner.close()


def _parse_ip(text: str) -> IP | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _split_names_and_networks(
    entries: tuple[str, ...],
) -> tuple[tuple[str, ...], tuple[IPv4Network | IPv6Network, ...]]:
    """Separate the names and networks that the user mixed."""
    names: list[str] = []
    networks: list[IPv4Network | IPv6Network] = []
    for entry in entries:
        try:
            networks.append(ip_network(entry.strip().strip("[]"), strict=False))
        except ValueError:
            names.append(entry)
    return tuple(names), tuple(networks)


def _parse_host_patterns(entries: tuple[str, ...], setting: str) -> frozenset[str]:
    found: set[str] = set()
    for entry in entries:
        star = "*." if entry.strip().startswith("*.") else ""
        name = entry.strip().removeprefix("*.")
        try:
            host = encode_host(name)
        except ValueError as error:
            raise InvalidSetting(f"Setting '{setting}' has {entry!r}: {error}.") from error
        if not host or any(sign in host for sign in "*/@ ") or "://" in host:
            raise InvalidSetting(
                f"Setting '{setting}' has {entry!r}, which is not a host.",
                advice="Use 'example.com', '*.example.com' or, for networks, '10.0.0.0/8'.",
            )
        found.add(star + host)
    return frozenset(found)
