"""Locates paths in the workspace of a payload."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def workspace_path(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> str:
    """The path relative to its workspace root, with slashes and all links followed; absolute if it is in none."""
    target = _real(payload, path)
    root = _root_of(payload, target)
    return target if root is None else os.path.relpath(target, root).replace(os.sep, "/")


def is_inside_workspace(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> bool:
    """Whether the path, with all links followed, is in a workspace root. The file need not exist."""
    try:
        target = _real(payload, path)
        # A file name cannot contain NUL, but old versions of Python resolve it.
        return "\0" not in target and _root_of(payload, target) is not None
    except (OSError, ValueError):
        return False  # The path cannot be resolved, so it is not known to be inside.


def _real(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> str:
    """Relative to `cwd`, else to the first root. Expands ~ as a shell would."""
    roots = payload.get("workspace_roots") or [os.getcwd()]
    base = os.path.join(_plain(roots[0]), payload.get("cwd") or "")
    # Not normalised first: after a link, ".." is the parent of the link's target.
    return os.path.realpath(os.path.join(base, _plain(os.path.expanduser(os.fspath(path)))))


def _root_of(payload: Mapping[str, Any], target: str) -> str | None:
    roots = [os.path.realpath(_plain(root)) for root in payload.get("workspace_roots") or []]
    holding = [root for root in roots if _holds(os.path.normcase(root), os.path.normcase(target))]
    return max(holding, key=len, default=None)


def _holds(root: str, path: str) -> bool:
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)


def _plain(path: str) -> str:
    """On Windows, roots arrive as `/d:/folder`."""
    return path[1:] if os.name == "nt" and path[:1] == "/" and path[2:3] == ":" else path
