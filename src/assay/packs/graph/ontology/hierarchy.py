"""Which classes lie in a circle of their own super-classes; walked, never recursed."""

from collections.abc import Iterator, Mapping, Sequence

Graph = Mapping[str, Sequence[str]]


def circles(above: Graph) -> list[tuple[str, ...]]:
    """The circles of a graph, each sorted: groups of nodes that all lie above each other."""
    below: dict[str, list[str]] = {}
    for node, parents in above.items():
        for parent in parents:
            below.setdefault(parent, []).append(node)
    done: set[str] = set()
    found: list[tuple[str, ...]] = []
    # Taken in the reverse order in which they were finished going up, what can be reached going
    # down and is not yet taken lies both above and below (Kosaraju).
    for node in reversed(_finished(above)):
        group = _reached(node, below, done)
        if len(group) > 1 or node in above.get(node, ()):
            found.append(tuple(sorted(group)))
    return sorted(found)


def _finished(above: Graph) -> list[str]:
    """All nodes, each after everything that is reached from it for the first time."""
    order: list[str] = []
    seen: set[str] = set()
    for start in above:
        if start in seen:
            continue
        seen.add(start)
        path: list[tuple[str, Iterator[str]]] = [(start, iter(above.get(start, ())))]
        while path:
            node, further = path[-1]
            following = next((other for other in further if other not in seen), None)
            if following is None:
                order.append(node)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(above.get(following, ()))))
    return order


def _reached(start: str, steps: Graph, done: set[str]) -> list[str]:
    """What is reached from a node and not done yet; it is done afterwards."""
    if start in done:
        return []
    done.add(start)
    found = [start]
    for node in found:
        for other in steps.get(node, ()):
            if other not in done:
                done.add(other)
                found.append(other)
    return found
