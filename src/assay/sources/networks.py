"""Which IP addresses belong to the public network, and what the others are."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from assay.sources.addresses import IP

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
