"""What a process that reads documents may still do, enforced by the kernel.

A parser that is taken over by a document runs whatever its author likes. It then finds itself in a
process without the network, without other programs, and without any file except its libraries and
the folders of documents. Nothing here needs root or user namespaces. Where a kernel lacks a
measure, the others still apply, and `assay doctor` names the missing one.
"""

import contextlib
import ctypes
import os
import platform
import resource
import signal
import struct
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from assay.engine.syscalls import ARCHITECTURES, Architecture

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_PR_CAPBSET_DROP: Final = 24
_SECCOMP_FILTER: Final = 2

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
_ALL_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""What each version of Landlock can refuse, from that version on."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_CLONE_THREAD: Final = 0x10000
_SIGNAL_COMMANDS: Final = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX
_SIGNAL_REQUESTS: Final = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
"""These choose a process that the kernel signals when a file becomes ready, and the signal."""
_EPERM, _ENOSYS = 1, 38

_ADDRESSES_MB: Final = 8192
"""Some libraries reserve gigabytes of addresses that they never use."""
_OPEN_FILES: Final = 256
_NAMED_VARIABLES: Final = frozenset(
    ("LANG", "LANGUAGE", "TZ", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "PYTHONHASHSEED")
)
_CODE: Final = frozenset((".py", ".so", ".dist-info", ".egg-info"))
_SYSTEM_FOLDERS: Final = ("/usr", "/lib", "/lib32", "/lib64", "/opt/lib", "/nix/store")
_SYSTEM_FILES: Final = (
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/fonts",
    # Libraries read these when they are imported, and fail if they exist but may not be read.
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/timezone",
    "/etc/nsswitch.conf",
    "/etc/ssl/openssl.cnf",
    "/etc/ssl/certs",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)


class Measure(StrEnum):
    """One way in which the kernel confines a process."""

    NO_NEW_PRIVILEGES = "no_new_privs"
    SYSCALLS = "seccomp"
    FILES = "landlock"
    CAPABILITIES = "capabilities"


MEANING: Final[Mapping[Measure, str]] = {
    Measure.NO_NEW_PRIVILEGES: "a program that it starts could gain rights",
    Measure.SYSCALLS: "it could connect to the network, start programs, and send signals",
    Measure.FILES: "it could read every file of this user, the database included",
    Measure.CAPABILITIES: "it keeps the rights of root",
}
"""What an exploited parser could do where a measure is missing."""


LANDLOCK_FOR_SIGNALS: Final = 6
"""The version from which on Landlock also refuses signals to other processes."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """Which measures apply to a process."""

    missing: Mapping[Measure, str]
    """The measures that the kernel refused, and what it said."""
    landlock_version: int = 0
    """0 if there is none."""


def scrub_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a confined process: no keys, no settings, no home."""
    kept = {
        name: value
        for name, value in environment.items()
        if name in _NAMED_VARIABLES or name.startswith("LC_")
    }
    return kept | {
        "HOME": "/nonexistent",
        "PYTHONPATH": os.pathsep.join(_list_import_folders()),
        "PYTHONDONTWRITEBYTECODE": "1",
        # With one process per core, threads cost more than they gain, and each takes memory before
        # it does anything.
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
    }


def _list_import_folders() -> Iterator[str]:
    for entry in sys.path:
        # The folder that this program was started in may be gone.
        with contextlib.suppress(FileNotFoundError):
            yield str(Path(entry).absolute())


def confine_process(memory_mb: int, readable: Sequence[Path]) -> Confinement:
    """Give up everything that reading documents does not need, for good."""
    _limit_resources(memory_mb)
    if sys.platform != "linux":
        reason = f"{platform.system()} does not have it"
        return Confinement(dict.fromkeys(Measure, reason))
    libc = ctypes.CDLL(None, use_errno=True)
    landlock_version = max(0, _read_landlock_version(libc))
    _call(libc.prctl, _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    missing: dict[Measure, str] = {}
    # The filter comes last: the other measures need what it refuses.
    for measure, apply in (
        (Measure.CAPABILITIES, lambda: _drop_capabilities(libc)),
        (Measure.NO_NEW_PRIVILEGES, lambda: _call(libc.prctl, _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)),
        (Measure.FILES, lambda: _restrict_files(libc, readable)),
        (Measure.SYSCALLS, lambda: _filter_syscalls(libc)),
    ):
        try:
            apply()
        except OSError as error:
            missing[measure] = error.strerror or str(error)
    return Confinement(missing, landlock_version)


def _limit_resources(memory_mb: int) -> None:
    most = memory_mb * 1024 * 1024
    on_linux = sys.platform == "linux"
    # Linux can distinguish reserved addresses from memory in use.
    limits = {
        resource.RLIMIT_DATA if on_linux else resource.RLIMIT_AS: most,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
    }
    if on_linux:
        limits[resource.RLIMIT_AS] = most + _ADDRESSES_MB * 1024 * 1024
    for limit, value in limits.items():
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Also what root may do without being asked, except to read files of other users."""
    if os.geteuid() != 0:
        return
    kept = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for capability in range(64):
        if not kept >> capability & 1 and libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    header = struct.pack("=Ii", 0x20080522, 0)
    sets = struct.pack("=6I", kept, kept, 0, 0, 0, 0)
    _call(libc.capset, header, sets)


def _read_landlock_version(libc: ctypes.CDLL) -> int:
    version: int = libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    return version


def _restrict_files(libc: ctypes.CDLL, readable: Sequence[Path]) -> None:
    version = _read_landlock_version(libc)
    if version < 1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    rights = max(value for since, value in _ALL_FILE_RIGHTS.items() if since <= version)
    # Files; TCP since version 4; signals and abstract sockets since version 6.
    fields = (rights, 0b11, 0b11)[
        : 1 if version < 4 else 2 if version < LANDLOCK_FOR_SIGNALS else 3
    ]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _call(libc.syscall, _LANDLOCK_CREATE, attributes, len(attributes), 0)
    try:
        for path, allowed in _list_allowed(readable):
            _allow_path(libc, ruleset, path, allowed)
        _call(libc.prctl, _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _call(libc.syscall, _LANDLOCK_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _list_allowed(readable: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """Every path that may be read, and whether as files, as a list of names, or both."""
    whole = _READ_FILE | _READ_DIR
    installed = [
        Path(path).resolve()
        for path in {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()}
    ]
    for path in (*map(Path, _SYSTEM_FOLDERS + _SYSTEM_FILES), *installed, *readable):
        yield path, whole
    yield Path("/dev/null"), _READ_FILE | _WRITE_FILE
    yield Path("/proc/self"), whole
    for entry in map(Path, filter(None, sys.path)):
        if any(entry.resolve().is_relative_to(place) for place in installed):
            continue
        # A project's folder may also contain a home of Assay: of such a folder, only the packages.
        yield entry, _READ_DIR if entry.is_dir() else _READ_FILE
        for each in _list_packages(entry):
            yield each, whole


def _list_packages(entry: Path) -> Iterator[Path]:
    if not entry.is_dir():
        return
    for each in entry.iterdir():
        if each.suffix in _CODE or (each / "__init__.py").is_file():
            yield each


def _allow_path(libc: ctypes.CDLL, ruleset: int, path: Path, allowed: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # What does not exist need not be allowed.
    try:
        if not path.is_dir():
            allowed &= ~_READ_DIR
        _call(libc.syscall, _LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", allowed, place), 0)
    finally:
        os.close(place)


def _filter_syscalls(libc: ctypes.CDLL) -> None:
    machine = ARCHITECTURES.get(platform.machine())
    if machine is None or sys.maxsize < 2**32:
        raise OSError(_ENOSYS, f"no list of system calls for {platform.machine()}")
    program = b"".join(_build_filter(machine, os.getpid()))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _call(libc.prctl, _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call(libc.prctl, _PR_SET_SECCOMP, _SECCOMP_FILTER, header, 0, 0)


def _build_filter(machine: Architecture, own_process: int) -> Iterator[bytes]:
    """A program for the kernel: refuse what is listed, allow the rest.

    What is allowed must remain open-ended, because every library has its own habits.
    """

    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    def check_arguments(number: int, test: int, value: int, *words: int) -> Iterator[bytes]:
        """Refuse the call unless these words of its arguments pass."""
        yield step(_EQUAL, number, 0, 2 * len(words) + 2)
        for place, word in enumerate(words):
            yield step(_LOAD, _ARGUMENTS_AT + 4 * word)
            yield step(test, value, 0, 2 * (len(words) - place) - 1)
        yield step(_RETURN, _ALLOW)
        yield step(_RETURN, _REFUSE | _EPERM)

    def refuse_values(number: int, word: int, values: Sequence[int]) -> Iterator[bytes]:
        """Refuse the call if this word of its arguments is one of the values."""
        yield step(_EQUAL, number, 0, 2 * len(values) + 2)
        yield step(_LOAD, _ARGUMENTS_AT + 4 * word)
        for value in values:
            yield step(_EQUAL, value, 0, 1)
            yield step(_RETURN, _REFUSE | _EPERM)
        yield step(_RETURN, _ALLOW)

    yield step(_LOAD, _ARCH_AT)
    yield step(_EQUAL, machine.audit_number, 1, 0)
    yield step(_RETURN, _KILL)
    yield step(_LOAD, _NUMBER_AT)
    if machine.numbers_end:
        yield step(_AT_LEAST, machine.numbers_end, 0, 1)
        yield step(_RETURN, _REFUSE | _ENOSYS)
    # Without clone3, whose flags a filter cannot see, libraries use clone.
    yield step(_EQUAL, machine.clone3, 0, 1)
    yield step(_RETURN, _REFUSE | _ENOSYS)
    # Threads, but no processes; signals to itself alone; limits can be read, but not changed.
    yield from check_arguments(machine.clone, _ANY_BIT, _CLONE_THREAD, 0)
    yield from check_arguments(machine.tgkill, _EQUAL, own_process, 0)
    yield from check_arguments(machine.prlimit64, _EQUAL, 0, 4, 5)
    # A file can be told to signal another process, and Landlock sees that only from version 6 on.
    yield from refuse_values(machine.fcntl, 2, _SIGNAL_COMMANDS)
    yield from refuse_values(machine.ioctl, 2, _SIGNAL_REQUESTS)
    # It ends with the program that started it.
    yield from refuse_values(machine.prctl, 0, (_PR_SET_PDEATHSIG,))
    for number in machine.refused:
        yield step(_EQUAL, number, 0, 1)
        yield step(_RETURN, _REFUSE | _EPERM)
    yield step(_RETURN, _ALLOW)


def _call(function: "ctypes._NamedFuncPointer", *arguments: object) -> int:
    result: int = function(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
