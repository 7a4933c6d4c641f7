"""What a handler may say, and what is written for it on each event."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Any


class Answer:
    """One thing that a handler says. Made by allow(), deny() and their like."""

    __slots__ = ("agent", "value", "word")

    def __init__(self, word: str, value: Any = None, agent: str | None = None) -> None:
        self.word = word
        self.value = value
        self.agent = agent

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answer):
            return NotImplemented
        return (self.word, self.value, self.agent) == (other.word, other.value, other.agent)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        said = [] if self.value is None else [repr(self.value)]
        if self.agent is not None:
            said.append(f"agent={self.agent!r}")
        return f"{self.word}({', '.join(said)})"


def allow() -> Answer:
    """The action may go on, and the host need not ask. To have no objection, return nothing instead."""
    return Answer("allow")


def deny(user: str | None = None, *, agent: str | None = None) -> Answer:
    """The action is stopped. The first text is shown to the person, the other one given to the model."""
    return Answer("deny", _text(user), _text(agent))


def ask(user: str | None = None, *, agent: str | None = None) -> Answer:
    """The person decides."""
    return Answer("ask", _text(user), _text(agent))


def followup(message: str) -> Answer:
    """The agent goes on with this message."""
    return Answer("followup", str(message))


def context(text: str) -> Answer:
    """The model reads this, too."""
    return Answer("context", str(text))


def rewrite(fields: Mapping[str, Any]) -> Answer:
    """Before a tool: keys of its input to replace. After an MCP tool: its output."""
    return Answer("rewrite", dict(fields))


def env(variables: Mapping[str, str]) -> Answer:
    """Variables for later hooks of this session."""
    wrong = [name for name, value in variables.items() if not isinstance(value, str)]
    if wrong:
        raise TypeError(f"env() takes strings; {wrong[0]} is {_kind(variables[wrong[0]])}")
    return Answer("env", dict(variables))


def notice(text: str) -> Answer:
    """The person reads this."""
    return Answer("notice", str(text))


def plugins(paths: Iterable[str | PathLike[str]]) -> Answer:
    """Absolute folders of further plugins."""
    if isinstance(paths, str):
        raise TypeError("plugins() takes a list of folders, not one string")
    return Answer("plugins", [str(path) for path in paths])


def takes(row: Mapping[str, Any]) -> list[str]:
    """The words that are an answer to an event."""
    fields = row.get("answer", ())
    words = []
    if row["gate"] != "none":
        words = ["allow", "ask", "deny"] if row["ask"] == "asks" else ["allow", "deny"]
    elif "user_message" in fields:
        words = ["notice"]
    return words + [word for word, names in _FIELDS.items() if any(name in fields for name in names)]


def written(answers: Iterable[Answer], row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of one answer. Of several the strictest decides, with the texts of those that say the same."""
    answers = list(answers)
    fields: dict[str, Any] = {}
    opinion = max((_STRICTNESS.get(answer.word, -1) for answer in answers), default=-1)
    for answer in answers:
        word, value = answer.word, answer.value
        if word in _STRICTNESS:
            if _STRICTNESS[word] < opinion:
                continue
            if row["gate"] == "continue":
                fields["continue"] = word != "deny"
            else:
                fields["permission"] = word
            _join(fields, "user_message", value)
            if "agent_message" in row["answer"]:
                _join(fields, "agent_message", answer.agent)
            continue
        name = "user_message" if word == "notice" else next(n for n in _FIELDS[word] if n in row["answer"])
        if isinstance(value, dict):
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
    "env": ("env",),
    "plugins": ("pluginPaths",),
}


def _join(fields: dict[str, Any], name: str, text: str | None) -> None:
    if text is not None:
        fields[name] = f"{fields[name]}\n\n{text}" if name in fields else text


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _kind(value: object) -> str:
    return f"a value of the type {type(value).__name__}"
