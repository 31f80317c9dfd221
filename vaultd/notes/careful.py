"""The full reader of a YAML block: libyaml decides, and every property has a place."""

from vaultd.notes.diagnosis import of_duplicate, of_problem, of_root
from vaultd.notes.findings import Finding
from vaultd.notes.nodes import Node
from vaultd.notes.reading import FIRST_LINE, Reading
from vaultd.notes.suspicions import suspicions
from vaultd.notes.yaml_nodes import Tree, YamlProblem, read_tree

LARGEST_BLOCK = 1 << 20
"""Characters of YAML; a larger block is listed as unreadable (V205) and never parsed."""


def read_carefully(text: str) -> Reading:
    """Return the content of a YAML block and everything that is wrong with it; never raises."""
    return read_with_places(text)[1]


def read_with_places(text: str) -> tuple[Node | None, Reading]:
    """Return the same with the node of the root, where there is one."""
    if len(text) > LARGEST_BLOCK:
        hint = "move the text to the body"
        return None, _unreadable(Finding("V205", FIRST_LINE, "the YAML block is larger than 1 MiB", hint))
    try:
        tree = read_tree(text)
    except YamlProblem as problem:
        return None, _unreadable(of_problem(text, problem))
    return tree.root, _judge(text, tree)


def _judge(text: str, tree: Tree) -> Reading:
    root = tree.root
    if root is None or root.value is None:
        return Reading()
    properties = root.value
    if not isinstance(properties, dict):
        return _unreadable(of_root(text, root))
    found = tuple(suspicions(text, root))
    if tree.duplicates:
        return _unreadable(*map(of_duplicate, tree.duplicates), *found)
    return Reading(properties, key_lines(root), found)


def key_lines(root: Node) -> dict[str, int]:
    """Return the file line of every top-level key."""
    return {str(key.value): key.line + FIRST_LINE for key in root.parts[::2]}


def _unreadable(*findings: Finding) -> Reading:
    return Reading(findings=findings, readable=False)
