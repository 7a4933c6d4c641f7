"""Where a path lies, seen from the workspace of a payload."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def workspace_path(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> str:
    """The path from its workspace root, with slashes, every link followed. What lies in no root comes back absolute."""
    target = _real(payload, path)
    root = _root_of(payload, target)
    return target if root is None else os.path.relpath(target, root).replace(os.sep, "/")


def is_inside_workspace(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> bool:
    """Whether the path, with every symbolic link followed, lies in one of the roots."""
    try:
        # No file has a name with a zero in it.
        return "\0" not in os.fspath(path) and _root_of(payload, _real(payload, path)) is not None
    except (OSError, ValueError):
        return False  # a path that cannot be followed leads nowhere that is known to be inside


def _real(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> str:
    """From the folder of the call, else from the first root. A shell would expand the ~, so it is expanded here."""
    roots = payload.get("workspace_roots") or [os.getcwd()]
    base = os.path.join(_plain(roots[0]), payload.get("cwd") or "")
    # Not normalised before links are followed: behind one, ".." means another folder than it seems to.
    return os.path.realpath(os.path.join(base, _plain(os.path.expanduser(os.fspath(path)))))


def _root_of(payload: Mapping[str, Any], target: str) -> str | None:
    roots = [os.path.realpath(_plain(root)) for root in payload.get("workspace_roots") or []]
    holding = [root for root in roots if _holds(os.path.normcase(root), os.path.normcase(target))]
    return max(holding, key=len, default=None)


def _holds(root: str, path: str) -> bool:
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)


def _plain(path: str) -> str:
    """Windows roots come as `/d:/folder`."""
    return path[1:] if os.name == "nt" and path[:1] == "/" and path[2:3] == ":" else path
