"""Where a path lies, seen from the workspace of a payload."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def workspace_path(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> str:
    """The path from its workspace root, with slashes. What lies in no root comes back absolute."""
    whole = _absolute(payload, path)
    for find in (os.path.normpath, os.path.realpath):
        inside = _longest_root(payload, find(whole), find)
        if inside is not None:
            return os.path.relpath(find(whole), inside).replace(os.sep, "/")
    return whole


def is_inside_workspace(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> bool:
    """Whether the path lies in one of the roots once every symbolic link is followed."""
    if "\0" in os.fspath(path):
        return False  # no file has such a name
    try:
        real = os.path.realpath(_absolute(payload, path))
        return _longest_root(payload, real, os.path.realpath) is not None
    except (OSError, ValueError):
        return False  # a path that cannot be followed leads nowhere that is known to be inside


def _absolute(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> str:
    """From the folder of the call, else from the first root. A shell would expand the ~, so it is expanded here."""
    roots = payload.get("workspace_roots") or []
    base = payload.get("cwd") or (roots[0] if roots else os.getcwd())
    if roots and not os.path.isabs(base):
        base = os.path.join(roots[0], base)
    # Not normalised: behind a symbolic link ".." means another folder than it seems to.
    return os.path.join(base, os.path.expanduser(os.fspath(path)))


def _longest_root(payload: Mapping[str, Any], whole: str, find: Any) -> str | None:
    found = [find(root) for root in payload.get("workspace_roots") or []]
    inside = [root for root in found if _holds(os.path.normcase(root), os.path.normcase(whole))]
    return max(inside, key=len, default=None)


def _holds(root: str, path: str) -> bool:
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)
