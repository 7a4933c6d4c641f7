"""What a tool call is about, under any key that an agent or version uses. docs/reference/tools.md lists the keys."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_FILE_KEYS = ("file_path", "path", "notebook_path", "target_file", "absolute_path")


def file_path_of(payload: Mapping[str, Any]) -> str | None:
    """The file, or for a search the folder, that the event is about; None if it names none.

    A patch names its files in its text.
    """
    fields = _input_of(payload)
    # The first key that is present decides: a guard must not judge another path than the tool uses.
    found = next((fields[key] for key in _FILE_KEYS if fields.get(key) is not None), None)
    path = payload.get("file_path")
    return _text(found if path is None else path)


def command_of(payload: Mapping[str, Any]) -> str | None:
    """The shell command of the event; None if it is not about a shell command."""
    if "tool_name" not in payload:
        return _text(payload.get("command"))
    return _text(_input_of(payload).get("command")) if payload["tool_name"] == "Shell" else None


def url_of(payload: Mapping[str, Any]) -> str | None:
    """The address that a web tool loads; None if the call has none."""
    return _text(_input_of(payload).get("url"))


def _input_of(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = payload.get("tool_input")
    return fields if isinstance(fields, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
