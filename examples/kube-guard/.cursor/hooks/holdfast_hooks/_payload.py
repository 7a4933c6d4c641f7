"""The payload of any version in one shape, with the current field names."""

from __future__ import annotations

import json

from . import _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class PayloadError(ValueError):
    """A payload that cannot be used. The message is a sentence."""


def parse_payload(text: str | bytes) -> dict[str, Any]:
    """The JSON object on stdin."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PayloadError(f"The payload is not UTF-8, from byte {error.start + 1} on.") from None
    text = text[1:] if text[:1] == "\ufeff" else text
    if not text.strip():
        raise PayloadError("The payload is empty; expected one JSON object on stdin.")
    try:
        payload = json.loads(text, parse_constant=_reject_constant)
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
    """The row of an event in the table."""
    row: dict[str, Any] = json.loads(_rows.EVENTS[event])
    return row


def normalise(event: str, row: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Renames old fields and sets defaults. Raises if a required field is missing or of the wrong type."""
    payload = dict(sent)
    kinds = row.get("kinds", {})
    _rename_fields(row, payload, version_of(sent))
    missing = []
    for name in row.get("required", ()):
        if payload.get(name) is None:
            missing.append(f'"{name}" is missing')
        elif not _is(payload[name], kinds[name]):
            missing.append(f'"{name}" is {_kind_of(payload[name])}, not {_KIND_NAMES[kinds[name]]}')
    # Other fields of the wrong type count as absent. This one must not: the handler would judge an empty call.
    given, wanted = payload.get("tool_input"), kinds.get("tool_input")
    if wanted and given is not None and not _is(given, wanted):
        missing.append(f'"tool_input" is {_kind_of(given)}, not {_KIND_NAMES[wanted]}')
    if missing:
        raise PayloadError(f"The payload of {event} is incomplete: {', '.join(missing)}.")
    for name, kind in kinds.items():
        _set_default(payload, name, kind, row.get("defaults", {}).get(name))
    common = {**_rows.ALWAYS, **(_rows.CONVERSATION if row["conversation"] else {})}
    for name, kind in common.items():
        if name == "session_id":
            _set_default(payload, name, kind, payload["conversation_id"])
        else:
            _set_default(payload, name, kind, {"string": "", "array": []}.get(kind))
    return payload


def version_of(payload: Mapping[str, Any]) -> str | None:
    """`2.4` for `2.4.21`, `3` for `3.19.13`, as in the table. The terminal sends dates, which count as new versions."""
    version = payload.get("cursor_version")
    major, _, rest = version.partition(".") if isinstance(version, str) else ("", "", "")
    found = _digits(major)
    if not found:
        return None
    return "3" if int(found[:9]) >= 3 else f"{found}.{(_digits(rest) if found == major else '') or 0}"


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


def _rename_fields(row: Mapping[str, Any], payload: dict[str, Any], version: str | None) -> None:
    kinds = row.get("kinds", {})
    for old, name in row.get("accepts", {}).items():
        if old in payload and old not in kinds:
            payload.setdefault(name, payload[old])
            del payload[old]
    for old, name in row.get("inVersion", {}).get(version, {}).items():
        if payload.get(name) is None:
            payload[name] = payload.get(old)
    for name in row.get("seconds", {}).get(version, ()):
        if _is(payload.get(name), "number"):
            payload[name] = _to_int(payload[name] * 1000)
    if "attachments" in kinds and isinstance(payload.get("attachments"), list):
        payload["attachments"] = [_rename_attachment_path(each) for each in payload["attachments"]]
    given, wanted = payload.get("tool_input"), kinds.get("tool_input")
    if wanted == "string" and isinstance(given, (dict, list)):
        payload["tool_input"] = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    elif wanted == "object" and isinstance(given, str):
        payload["tool_input"] = _object(given) if given.strip() else {}


def _set_default(payload: dict[str, Any], name: str, kind: str, fallback: Any) -> None:
    """Replaces a value of the wrong type by the default, or removes it. Some hosts send null for a missing value."""
    value = payload.get(name)
    optional = kind.startswith("optional ")
    kind = kind[9:] if optional else kind
    if kind == "string or null" and (value is None or isinstance(value, str)):
        payload[name] = value
    elif value is not None and _is(value, kind):
        return
    elif kind == "number" and isinstance(value, str) and _number(value) is not None:
        payload[name] = _number(value)
    elif fallback is None and kind != "string or null":
        payload.pop(name, None)
    else:
        payload[name] = fallback


_KIND_NAMES = {
    "string": "a string",
    "number": "a number",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
}
_TYPES: dict[str, Any] = {
    "string": str,
    "string or null": str,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
}


def _is(value: object, kind: str) -> bool:
    # In Python a bool is an int.
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _kind_of(value: object) -> str:
    return next((_KIND_NAMES[kind] for kind in _KIND_NAMES if _is(value, kind)), "null")


def _digits(text: str) -> str:
    """The digits at the start of a text."""
    return text[: len(text) - len(text.lstrip("0123456789"))]


def _to_int(value: float) -> float:
    return int(value) if value == value // 1 else value


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # Python reads more number formats than JSON has.
    return _to_int(value) if abs(value) < float("inf") and "_" not in text and text.isascii() else None


def _rename_attachment_path(item: Any) -> Any:
    if not isinstance(item, dict) or "file_path" in item or "filePath" not in item:
        return item
    today = dict(item)
    today["file_path"] = today.pop("filePath")
    return today


def _object(text: str) -> Any:
    """The object in a JSON text, or the text itself."""
    try:
        value = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")
