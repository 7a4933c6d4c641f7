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
    """What the table says about an event."""
    row: dict[str, Any] = json.loads(_rows.EVENTS[event])
    return row


def in_todays_words(event: str, row: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Takes every version's spelling and fills what may be left out; raises where there is nothing to decide about."""
    payload = dict(sent)
    kinds = row.get("kinds", {})
    _rename(row, payload, version_of(sent))
    missing = []
    for name in row.get("required", ()):
        if payload.get(name) is None:
            missing.append(f'"{name}" is missing')
        elif not _is(payload[name], kinds[name]):
            missing.append(f'"{name}" is {_kind_of(payload[name])}, not {_WORDS[kinds[name]]}')
    # Other fields may be anything, and count as absent then. Not this one: a guard would see an empty call.
    given, wanted = payload.get("tool_input"), kinds.get("tool_input")
    if wanted and given is not None and not _is(given, wanted):
        missing.append(f'"tool_input" is {_kind_of(given)}, not {_WORDS[wanted]}')
    if missing:
        raise PayloadError(f"The payload of {event} is not whole: {', '.join(missing)}.")
    for name, kind in kinds.items():
        _complete(payload, name, kind, row.get("defaults", {}).get(name))
    common = {**_rows.ALWAYS, **(_rows.CONVERSATION if row["conversation"] else {})}
    for name, kind in common.items():
        if name == "session_id":
            _complete(payload, name, kind, payload["conversation_id"])
        else:
            _complete(payload, name, kind, {"string": "", "array": []}.get(kind))
    return payload


def version_of(payload: Mapping[str, Any]) -> str | None:
    """`2.4` of `2.4.21`, `3` of `3.19.13`: as the table names versions. Dates, which the terminal sends, are new."""
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


def _rename(row: Mapping[str, Any], payload: dict[str, Any], version: str | None) -> None:
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
            payload[name] = _whole(payload[name] * 1000)
    if "attachments" in kinds and isinstance(payload.get("attachments"), list):
        payload["attachments"] = [_attachment(each) for each in payload["attachments"]]
    given, wanted = payload.get("tool_input"), kinds.get("tool_input")
    if wanted == "string" and isinstance(given, (dict, list)):
        payload["tool_input"] = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    elif wanted == "object" and isinstance(given, str):
        payload["tool_input"] = _object(given) if given.strip() else {}


def _complete(payload: dict[str, Any], name: str, kind: str, otherwise: Any) -> None:
    """What is no use to the handler is as good as absent; null is what some hosts send for "nothing to say"."""
    value = payload.get(name)
    optional = kind.startswith("optional ")
    kind = kind[9:] if optional else kind
    if kind == "string or null" and (value is None or isinstance(value, str)):
        payload[name] = value
    elif value is not None and _is(value, kind):
        return
    elif kind == "number" and isinstance(value, str) and _number(value) is not None:
        payload[name] = _number(value)
    elif otherwise is None and kind != "string or null":
        payload.pop(name, None)
    else:
        payload[name] = otherwise


_WORDS = {
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
    # To Python a bool is a number, too.
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _kind_of(value: object) -> str:
    return next((_WORDS[kind] for kind in _WORDS if _is(value, kind)), "null")


def _digits(text: str) -> str:
    """The digits that a text begins with."""
    return text[: len(text) - len(text.lstrip("0123456789"))]


def _whole(value: float) -> float:
    return int(value) if value == value // 1 else value


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # Python knows more numbers than JSON does.
    return _whole(value) if abs(value) < float("inf") and "_" not in text and text.isascii() else None


def _attachment(item: Any) -> Any:
    if not isinstance(item, dict) or "file_path" in item or "filePath" not in item:
        return item
    today = dict(item)
    today["file_path"] = today.pop("filePath")
    return today


def _object(text: str) -> Any:
    """The object that a text holds; the text itself where it holds none."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")
