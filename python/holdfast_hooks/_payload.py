"""The payload of any version in today's words: one shape for handlers."""

from __future__ import annotations

import json

from . import _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class PayloadError(ValueError):
    """What is wrong with a payload, in one sentence."""


def parsed(text: str | bytes) -> dict[str, Any]:
    """The object on stdin."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PayloadError(f"The payload is not UTF-8, from byte {error.start + 1} on.") from None
    text = text[1:] if text[:1] == "\ufeff" else text
    if not text.strip():
        raise PayloadError("The payload is empty; expected one JSON object on stdin.")
    try:
        payload = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise PayloadError("The payload is nested too deeply.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise PayloadError(f"The payload is not JSON: {error.msg} ({place}).") from None
    except ValueError as error:
        raise PayloadError(f"The payload is not JSON: {error}.") from None
    if not isinstance(payload, dict):
        raise PayloadError(f"The payload is {_kind_of(payload)}; expected an object.")
    return payload


def row_of(event: str) -> dict[str, Any]:
    """The event's row with what all events have in common."""
    row: dict[str, Any] = json.loads(_rows.EVENTS[event])
    common = [json.loads(_rows.ALWAYS)]
    if row["conversation"]:
        common.append(json.loads(_rows.CONVERSATION))
    for fields in common:
        for column in ("kinds", "defaults"):
            row[column] = {**fields[column], **row.get(column, {})}
        row["nullable"] = fields["nullable"] + row.get("nullable", [])
    return row


def in_todays_words(event: str, row: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Takes every version's spelling, fills what may be left out, and names what is missing or wrong."""
    payload = dict(sent)
    version = version_of(sent)
    for old, name in {**row.get("accepts", {}), **row.get("renames", {}).get(version, {})}.items():
        if payload.get(name) is None and payload.get(old) is not None:
            payload[name] = payload.pop(old)
    for name, versions in row.get("seconds", {}).items():
        if version in versions and _is(payload.get(name), "number"):
            payload[name] = _milliseconds(payload[name])
    if isinstance(payload.get("attachments"), list):
        payload["attachments"] = [_attachment(each) for each in payload["attachments"]]
    if "toolInput" in row and "tool_input" in payload:
        payload["tool_input"] = _tool_input(payload["tool_input"], row["toolInput"])
    for name, source in _rows.COPIES.items():
        if name in row["kinds"] and payload.get(name) is None:
            payload[name] = payload.get(source)
    for name, kind in row["kinds"].items():
        value = payload.get(name)
        if value is None:
            # null is what some hosts send for "nothing to say".
            if name in row["defaults"]:
                payload[name] = row["defaults"][name]
            elif name in row.get("required", ()):
                raise PayloadError(f'{event}: "{name}" is missing.')
            elif name not in row["nullable"]:
                payload.pop(name, None)
        elif not _is(value, kind):
            raise PayloadError(f'{event}: "{name}" is {_kind_of(value)}; expected {_WORDS[kind]}.')
    return payload


def version_of(payload: Mapping[str, Any]) -> str:
    """`2.4` of `2.4.21`; nothing for the versions that do not say."""
    version = payload.get("cursor_version")
    return ".".join(version.split(".")[:2]) if isinstance(version, str) else ""


def mcp_input(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an MCP tool, or of any other, as a dict."""
    given = payload.get("tool_input")
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError as error:
            raise ValueError(f"tool_input is not JSON: {error}") from None
    value = {} if given is None else given
    if not isinstance(value, dict):
        raise ValueError(f"tool_input is {_kind_of(value)}; expected an object")
    return value


_WORDS = {
    "string": "a string",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
}
_TYPES: dict[str, Any] = {
    "string": str,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
}


def _is(value: object, kind: str) -> bool:
    # To Python a bool is a number, too.
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _kind_of(value: object) -> str:
    return next((_WORDS[kind] for kind in _WORDS if _is(value, kind)), "null")


def _milliseconds(seconds: float) -> float:
    value = round(seconds * 1000, 3)
    return int(value) if value == value // 1 else value


def _attachment(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    today = dict(item)
    for old, name in _rows.ATTACHMENT.items():
        if name not in today and old in today:
            today[name] = today.pop(old)
    return today


def _tool_input(given: Any, wanted: str) -> Any:
    if wanted == "text":
        is_text = isinstance(given, str) or given is None
        return given if is_text else json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")
