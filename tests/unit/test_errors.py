"""The error tree is as it is drawn, and every error says what to do."""

import errno
import re

import pytest

from assay import errors
from assay.errors import AssayError, ErrorClass, from_os_error

_ENTRY = re.compile(r"^(?P<indent>[│ ]*)[├└]── (?P<name>\w+)(?: +(?P<says>.*))?$")


def drawn() -> dict[str, tuple[str, str]]:
    """Each class in the picture, with its parent and what stands beside it."""
    assert errors.__doc__ is not None
    found: dict[str, tuple[str, str]] = {}
    above = ["AssayError"]
    for line in errors.__doc__.splitlines():
        match = _ENTRY.match(line)
        if match is not None:
            depth = len(match["indent"]) // 4 + 1
            found[match["name"]] = (above[depth - 1], match["says"] or "")
            above[depth:] = [match["name"]]
    return found


def defined() -> dict[str, type[AssayError]]:
    """Each class of the module below the root."""
    return {
        name: thing
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, AssayError) and thing is not AssayError
    }


CLASSES = sorted(defined().values(), key=lambda cls: cls.__name__)
LEAVES = [cls for cls in CLASSES if not any(cls in other.__bases__ for other in CLASSES)]


def test_the_picture_is_read_as_a_tree() -> None:
    tree = drawn()
    assert tree["TransientError"][0] == "AssayError"
    assert tree["FetchFailed"][0] == "TransientError"
    assert tree["DiskFailed"][0] == "InternalError"
    assert tree["DiskFull"][0] == "DiskFailed"


def test_every_drawn_class_exists_under_its_drawn_parent_and_no_other_does() -> None:
    drawn_parents = {name: parent for name, (parent, _) in drawn().items()}
    real_parents = {name: cls.__bases__[0].__name__ for name, cls in defined().items()}
    assert drawn_parents == real_parents


def test_every_branch_is_drawn_with_its_class_of_the_retry_matrix() -> None:
    branches = {name: says for name, (parent, says) in drawn().items() if parent == "AssayError"}
    assert {says.split()[0] for says in branches.values()} == {c.value for c in ErrorClass}
    for name, says in branches.items():
        assert defined()[name].error_class.value == says.split()[0]


def test_codes_are_unique_and_fit_for_machines() -> None:
    codes = [AssayError.code, *(cls.code for cls in CLASSES)]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z][a-z_]*", code) for code in codes)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_class_names_its_own_code_and_what_it_is(cls: type[AssayError]) -> None:
    assert "code" in vars(cls)
    assert cls.__doc__


@pytest.mark.parametrize("cls", LEAVES, ids=lambda cls: cls.__name__)
def test_every_leaf_has_the_error_class_of_its_branch(cls: type[AssayError]) -> None:
    branch = next(b for b in CLASSES if AssayError in b.__bases__ and issubclass(cls, b))
    assert isinstance(cls.error_class, ErrorClass)
    assert cls.error_class is branch.error_class


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_message_is_what_happened_and_then_the_advice(cls: type[AssayError]) -> None:
    assert str(cls("It broke.")) == f"It broke. {cls.advice}".strip()
    assert str(cls("It broke.", advice="Mend it.")) == "It broke. Mend it."


def test_advice_given_to_one_error_is_not_given_to_the_next() -> None:
    errors.DatabaseBusy("It broke.", advice="Mend it.")
    assert "Mend it." not in str(errors.DatabaseBusy("It broke."))


def test_only_a_job_that_kills_its_workers_is_final() -> None:
    assert [cls for cls in CLASSES if cls.final] == [errors.WorkerDied]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOSPC, errors.DiskFull),
        (errno.EDQUOT, errors.DiskFull),
        (errno.EACCES, errors.InvalidInput),
        (errno.EPERM, errors.InvalidInput),
        (errno.EROFS, errors.InvalidInput),
        (errno.EIO, errors.DiskFailed),
        (errno.EFBIG, errors.DiskFailed),
        (errno.ENOTDIR, errors.InternalError),
    ],
)
def test_an_error_of_the_operating_system_is_explained(
    number: int, expected: type[AssayError]
) -> None:
    told = from_os_error(OSError(number, "as the system says"), "sealing run r1")
    assert type(told) is expected
    assert "while sealing run r1" in str(told)
