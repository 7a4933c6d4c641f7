"""The responses of handlers, and their fields on each event."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Any


class Response:
    """One response of a handler. Made by allow(), deny() and the other functions."""

    __slots__ = ("agent", "value", "kind")

    def __init__(self, kind: str, value: Any = None, agent: str | None = None) -> None:
        self.kind = kind
        self.value = value
        self.agent = agent

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Response):
            return NotImplemented
        return (self.kind, self.value, self.agent) == (other.kind, other.value, other.agent)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        arguments = [] if self.value is None else [repr(self.value)]
        if self.agent is not None:
            arguments.append(f"agent={self.agent!r}")
        return f"{self.kind}({', '.join(arguments)})"


def allow() -> Response:
    """Allow the action without a question to the user. To abstain, return nothing instead."""
    return Response("allow")


def deny(user: str | None = None, *, agent: str | None = None) -> Response:
    """Stop the action. The first message is for the user, `agent` for the model."""
    return Response("deny", _text(user), _text(agent))


def ask(user: str | None = None, *, agent: str | None = None) -> Response:
    """Ask the user."""
    return Response("ask", _text(user), _text(agent))


def followup(message: str) -> Response:
    """Continue with this text as the next message."""
    return Response("followup", str(message))


def context(text: str) -> Response:
    """Add this text to the context of the model."""
    return Response("context", str(text))


def rewrite(fields: Mapping[str, Any]) -> Response:
    """Replace these keys of a tool's input before the call, or the output of an MCP tool after it."""
    return Response("rewrite", dict(fields))


def reword(text: str) -> Response:
    """Replace the message of the user before it is sent."""
    return Response("reword", str(text))


def env(variables: Mapping[str, str]) -> Response:
    """Set variables for later hooks of this session."""
    wrong = [name for name, value in variables.items() if not isinstance(value, str)]
    if wrong:
        raise TypeError(f"env() takes strings; {wrong[0]} is {_kind(variables[wrong[0]])}")
    return Response("env", dict(variables))


def notice(text: str) -> Response:
    """Show a message to the user on an event that cannot be stopped."""
    return Response("notice", str(text))


def plugins(paths: Iterable[str | PathLike[str]]) -> Response:
    """Add plugins by the absolute paths of their folders."""
    if isinstance(paths, str):
        raise TypeError("plugins() takes a list of folders, not one string")
    return Response("plugins", [str(path) for path in paths])


def accepted_kinds(row: Mapping[str, Any]) -> list[str]:
    """The kinds of response that an event accepts."""
    fields = row.get("answer", ())
    kinds = []
    if row["gate"] != "none":
        kinds = ["allow", "ask", "deny"] if row["ask"] == "asks" else ["allow", "deny"]
    elif "user_message" in fields:
        kinds = ["notice"]
    return kinds + [kind for kind, names in _FIELDS.items() if any(name in fields for name in names)]


def to_fields(responses: Iterable[Response], row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the merged responses: the strictest decision, with the messages of those that decided so."""
    responses = list(responses)
    fields: dict[str, Any] = {}
    strictest = max((_STRICTNESS.get(response.kind, -1) for response in responses), default=-1)
    for response in responses:
        kind, value = response.kind, response.value
        if kind in _STRICTNESS:
            if _STRICTNESS[kind] < strictest:
                continue
            if row["gate"] == "continue":
                fields["continue"] = kind != "deny"
            else:
                fields["permission"] = kind
            _join(fields, "user_message", value)
            if "agent_message" in row["answer"]:
                _join(fields, "agent_message", response.agent)
            continue
        name = "user_message" if kind == "notice" else next(n for n in _FIELDS[kind] if n in row["answer"])
        if kind == "reword":
            fields[name] = value
        elif isinstance(value, dict):
            fields[name] = {**fields.get(name, {}), **value}
        elif isinstance(value, list):
            fields[name] = fields.get(name, []) + value
        else:
            _join(fields, name, value)
    return fields


_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}

_FIELDS = {
    "followup": ("followup_message",),
    "context": ("additional_context",),
    "rewrite": ("updated_input", "updated_mcp_tool_output"),
    "reword": ("updated_prompt",),
    "env": ("env",),
    "plugins": ("pluginPaths",),
}


def _join(fields: dict[str, Any], name: str, text: str | None) -> None:
    if text is not None:
        fields[name] = f"{fields[name]}\n\n{text}" if name in fields else text


def _text(value: object) -> str | None:
    """Never raises: a deny must not fail because of its message."""
    try:
        return None if value is None else str(value)
    except Exception:
        return f"({type(value).__name__} without a text)"


def _kind(value: object) -> str:
    return f"a value of the type {type(value).__name__}"
