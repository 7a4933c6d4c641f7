"""One document of YAML: mappings and sequences, by indent and in brackets."""

from __future__ import annotations

import re
from typing import Any

from .yaml_scalars import Scalars

MOST_LEVELS = 60


class Document(Scalars):
    def __init__(self, lines: list[str], first: int) -> None:
        super().__init__(lines, first)
        self.level = 0

    def read(self) -> Any:
        indent = self.next_line()
        if indent is None:
            return None
        value = self.node(-1)
        if self.next_line() is not None:
            raise self.refuse("does not belong to what is before it")
        return value

    # --- nodes; `parent` is the indent of what holds the node

    def node(self, parent: int) -> Any:
        """The node that begins here, on a line of its own or behind "-"."""
        self.level += 1
        if self.level > MOST_LEVELS:
            raise self.refuse("is nested too deeply")
        rest = self.rest()
        if _is_item(rest):
            value: Any = self.sequence(self.column)
        elif self.key_ends() is not None:
            value = self.mapping(self.column)
        else:
            value = self.scalar(parent)
        self.level -= 1
        return value

    def sequence(self, indent: int) -> list[Any]:
        items = []
        while True:
            self.column += 1
            row = self.row
            at = self.next_line()
            if at is not None and self.row == row:
                items.append(self.node(indent))
            elif at is not None and at > indent:
                items.append(self.node(indent))
            else:
                items.append(None)
            at = self.next_line()
            if at is None or at < indent:
                return items
            if at > indent or not _is_item(self.rest()):
                if at == indent:
                    return items
                raise self.refuse("is indented too far")

    def mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while True:
            end = self.key_ends()
            if end is None:
                raise self.refuse("is not a key")
            key = self.key(end)
            if key in found:
                raise self.refuse(f"has the key {key!r} a second time")
            found[key] = self.value(indent)
            at = self.next_line()
            if at is None or at < indent:
                return found
            if at > indent:
                raise self.refuse("is indented too far")
            if _is_item(self.rest()):
                raise self.refuse("has an item where a key is expected")

    def value(self, indent: int) -> Any:
        row = self.row
        at = self.next_line()
        if at is not None and self.row == row:
            if _is_item(self.rest()) or self.key_ends() is not None:
                raise self.refuse("has two keys or an item on one line")
            return self.scalar(indent)
        if at is not None and at > indent:
            return self.node(indent)
        if at == indent and _is_item(self.rest()):
            self.level += 1
            items = self.sequence(indent)
            self.level -= 1
            return items
        return None

    def key_ends(self) -> int | None:
        """The column of the colon, when a key begins here."""
        line = self.lines[self.row]
        start = self.column
        if line[start] in "\"'":
            end = _quote_end(line, start)
            if end is None:
                return None
            after = re.compile(r" *:(?= |$)").match(line, end)
            return after.end() - 1 if after else None
        if line[start] in "[{":
            return None
        found = re.compile(r"(?:[^ :#]|:(?! |$)|(?<! )#| (?!#))*:(?= |$)").match(line, start)
        return found.end() - 1 if found else None

    def key(self, end: int) -> str:
        start = self.column
        text = self.lines[self.row][start:end].rstrip(" ")
        if text[:1] in ("'", '"'):
            word = self.quoted(-1)
        else:
            self.plain_start(text)
            word = text
            if not isinstance(self.resolved(text), str):
                raise self.refuse(f"has the key {text!r}, which is not a text")
        if word == "<<":
            raise self.refuse("has a merge key")
        if "\t" in text:
            raise self.refuse("has a tab")
        self.column = end + 1
        return word

    def scalar(self, parent: int) -> Any:
        first = self.rest()[0]
        if first in "|>":
            if parent < 0 and self.level <= 1:
                raise self.refuse("has a text block where an object is expected")
            return self.text_block(parent)
        if first in "\"'":
            text = self.quoted(parent)
            self.end_line("a quoted text")
            return text
        if first in "[{":
            value = self.flow(parent)
            if self.rest().lstrip(" ").startswith(":"):
                raise self.refuse("has a collection as a key")
            self.end_line("a collection")
            return value
        return self.plain(parent)

    # --- flow collections

    def flow(self, parent: int) -> Any:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise self.refuse("is nested too deeply")
        opening = self.rest()[0]
        closing = {"[": "]", "{": "}"}[opening]
        items: list[Any] = []
        found: dict[str, Any] = {}
        self.column += 1
        while True:
            letter = self.flow_next(parent)
            if letter == closing:
                break
            if letter == ",":
                raise self.refuse("has a comma too many")
            if opening == "[":
                items.append(self.flow_value(parent))
                letter = self.flow_next(parent)
                if letter == ":":
                    raise self.refuse("has a key in a list")
            else:
                self.flow_pair(parent, found)
                letter = self.flow_next(parent)
            if letter == ",":
                self.column += 1
            elif letter != closing:
                raise self.refuse(f"needs a comma or {closing}")
        self.column += 1
        self.level -= 1
        return items if opening == "[" else found

    def flow_pair(self, parent: int, found: dict[str, Any]) -> None:
        is_quoted = self.rest()[0] in "\"'"
        row = self.row
        key = self.flow_value(parent)
        if not isinstance(key, str) or key == "<<":
            raise self.refuse("has a key that is not a text")
        if key in found:
            raise self.refuse(f"has the key {key!r} a second time")
        if self.flow_next(parent) != ":" or self.row != row:
            raise self.refuse("has a key without a value")
        self.column += 1
        if not is_quoted and self.rest()[:1] not in ("", " "):
            raise self.refuse("has no space behind a colon")
        letter = self.flow_next(parent)
        found[key] = None if letter in ",}" else self.flow_value(parent)

    def flow_next(self, parent: int) -> str:
        """The next letter that is neither space nor comment."""
        row = self.row
        indent = self.next_line()
        if indent is None:
            raise self.refuse("ends inside a collection")
        if self.row != row and indent <= parent:
            raise self.refuse("is inside a collection and not indented")
        return self.rest()[0]

    def flow_value(self, parent: int) -> Any:
        rest = self.rest()
        if rest[0] in "\"'":
            return self.quoted(parent)
        if rest[0] in "[{":
            return self.flow(parent)
        self.plain_start(rest)
        parts: list[str] = []
        while True:
            found = _FLOW_WORDS.match(self.lines[self.row], self.column)
            assert found
            parts.append(found.group())
            self.column = found.end()
            if self.rest()[:1] == "\t":
                raise self.refuse("has a tab")
            if self.rest().strip(" "):
                break
            row = self.row + 1
            while row < len(self.lines) and not self.lines[row].strip(" "):
                row += 1
            line = self.lines[row].lstrip(" ") if row < len(self.lines) else ","
            if line[0] in ",[]{}:#":
                break
            indent = len(self.lines[row]) - len(line)
            if indent <= parent or line[0] == "\t":
                raise self.refuse("is inside a collection and not indented")
            parts.append("\n" * (row - self.row - 1) or " ")
            self.row, self.column = row, indent
        return self.resolved(parts[0]) if len(parts) == 1 else "".join(parts)


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _quote_end(line: str, start: int) -> int | None:
    """The column behind a quoted text that ends on its line."""
    pattern = r'"(?:[^"\\]|\\.)*"' if line[start] == '"' else r"'(?:[^']|'')*'(?!')"
    found = re.compile(pattern).match(line, start)
    return found.end() if found else None


_FLOW_WORDS = re.compile(
    r"(?:[^,\[\]{}:# \t]|:(?![ ,\[\]{}]|$)|(?<! )#| +(?![# ]|$|:(?:[ ,\[\]{}]|$)|[,\[\]{}]))*"
)
