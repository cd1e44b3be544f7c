"""YAML files as plain values: limited in size, without tags or repeated names."""

from pathlib import Path
from typing import Any

import yaml

from assay.errors import InvalidInput, from_os_error

MOST_BYTES = 200_000
"""No description is longer; this limits adapters as well."""
_STAMP = "tag:yaml.org,2002:timestamp"


class _Refused(Exception):
    """Something that YAML allows but a description may not have."""


class _Loader(yaml.SafeLoader):
    """Safe, with dates as written, and without references or repeated names."""

    yaml_implicit_resolvers = {  # noqa: RUF012  (the base class has it so)
        letter: [(tag, pattern) for tag, pattern in rules if tag != _STAMP]
        for letter, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            # A few lines of references to references can expand to more than fits in memory.
            raise _Refused("it has a reference (*), which a description may not have")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        names = [self.construct_object(key, deep=True) for key, _ in node.value]
        seen: set[str] = set()
        for name in names:
            if not isinstance(name, str):
                raise _Refused(f"the name {name!r} is not text; put it in quotes")
            if name in seen:
                raise _Refused(f"'{name}' appears twice")
            seen.add(name)
        return super().construct_mapping(node, deep)


def read_bounded_bytes(path: Path) -> bytes:
    """The content of a file; one that is missing or too large is refused."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise InvalidInput(f"{path} is missing.") from error
    except IsADirectoryError as error:
        raise InvalidInput(f"{path} is a folder, not a file.") from error
    except OSError as error:
        raise from_os_error(error, f"reading {path}") from error
    if len(data) > MOST_BYTES:
        raise InvalidInput(f"{path} is larger than {MOST_BYTES:,} bytes.")
    return data


def read_yaml(path: Path) -> Any:
    """The value in a file; InvalidInput says what is wrong with it, and where."""
    data = read_bounded_bytes(path)
    try:
        return yaml.load(data.decode("utf-8"), _Loader)
    except yaml.MarkedYAMLError as error:
        place = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise InvalidInput(f"{path} is not YAML: {error.problem or error}{place}.") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput(f"{path} is not YAML: {str(error).splitlines()[0]}.") from error
    except RecursionError as error:
        raise InvalidInput(f"{path} is nested too deep to be read.") from error
    except _Refused as error:
        raise InvalidInput(f"{path}: {error}.") from error
