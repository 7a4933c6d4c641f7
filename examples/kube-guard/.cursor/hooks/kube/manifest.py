"""Reads the YAML that manifests use: block mappings and sequences, plain and quoted scalars, block scalars, flow
collections, comments, several documents, and JSON. Everything else (anchors, aliases, tags, merge keys, directives,
explicit keys, tabs) is refused with the line it is in: a guard must not guess what another reader will see."""

from __future__ import annotations

import json
import re
from typing import Any

MOST_LEVELS = 60
LARGEST = 4_000_000


class Refused(Exception):
    """What cannot be read for certain."""


def read_manifest(text: str) -> list[Any]:
    """All documents, the empty ones left out."""
    if len(text) > LARGEST:
        raise Refused("it is larger than 4 MB")
    text = text[1:] if text.startswith("\ufeff") else text
    text = text.replace("\r\n", "\n")
    strange = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]", text)
    if strange:
        line = text.count("\n", 0, strange.start()) + 1
        raise Refused(f"line {line} has a character that is not text")
    if text.lstrip()[:1] == "{":
        try:
            return _json_values(text)
        except ValueError:
            pass  # flow style of YAML, perhaps
    documents = [_Document(lines, first).read() for lines, first in _documents(text.removesuffix("\n").split("\n"))]
    return [document for document in documents if document is not None]


def _json_values(text: str) -> list[Any]:
    """JSON objects may follow each other without anything between them."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
    values, at = [], 0
    try:
        while text[at:].strip():
            at += len(text[at:]) - len(text[at:].lstrip())
            value, at = decoder.raw_decode(text, at)
            if not isinstance(value, dict):
                raise ValueError("not an object")
            values.append(value)
    except RecursionError:
        raise Refused("it is nested too deeply") from None
    return values


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("a key stands twice in one object")
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def _documents(lines: list[str]) -> list[tuple[list[str], int]]:
    """The lines between the markers, each with the number of its first line."""
    found: list[tuple[list[str], int]] = []
    start = 0
    for number, line in enumerate([*lines, "---"]):
        if not line.startswith(("---", "...")):
            continue
        # Readers disagree about text behind a marker: one drops it, one reads it.
        if not re.fullmatch(r"(?:---|\.\.\.)(?: *| +#.*)", line):
            raise Refused(f"line {number + 1} has text behind its marker")
        found.append((lines[start:number], start + 1))
        start = number + 1
    return found


class _Document:
    def __init__(self, lines: list[str], first: int) -> None:
        self.lines = lines
        self.first = first
        self.row = 0
        self.column = 0
        self.level = 0

    def refuse(self, why: str) -> Refused:
        return Refused(f"line {self.first + min(self.row, max(len(self.lines) - 1, 0))} {why}")

    def read(self) -> Any:
        indent = self.next_line()
        if indent is None:
            return None
        value = self.node(-1)
        if self.next_line() is not None:
            raise self.refuse("does not belong to what is before it")
        return value

    # --- lines

    def rest(self) -> str:
        return self.lines[self.row][self.column :]

    def next_line(self) -> int | None:
        """Goes to the next line that says something, unless the rest of this one does. Its indent, or None at the end."""
        while self.row < len(self.lines):
            line = self.lines[self.row]
            while self.column < len(line) and line[self.column] == " ":
                self.column += 1
            rest = line[self.column :]
            if rest and (rest[0] != "#" or (self.column > 0 and line[self.column - 1] != " ")):
                if rest[0] == "\t":
                    raise self.refuse("has a tab")
                if rest[0] == "%" and self.column == 0:
                    raise self.refuse("has a directive")
                return self.column
            self.row += 1
            self.column = 0
        return None

    def end_line(self, what: str) -> None:
        """Behind a value only a comment may stand."""
        rest = self.rest()
        if rest.strip(" ") and not re.match(r" +#", rest):
            raise self.refuse(f"has text behind {what}")
        self.row += 1
        self.column = 0

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
            if not isinstance(_resolved(text), str):
                raise self.refuse(f"has the key {text!r}, which is not a text")
        if word == "<<":
            raise self.refuse("has a merge key")
        if "\t" in text:
            raise self.refuse("has a tab")
        self.column = end + 1
        return word

    def plain_start(self, text: str) -> None:
        first = text[:1]
        names = {"&": "an anchor", "*": "an alias", "!": "a tag", "%": "a directive", "\t": "a tab"}
        if first in names:
            raise self.refuse(f"has {names[first]}")
        if first == "" or first in ",[]{}#|>@`\"'" or (first in "?:-" and text[1:2] in ("", " ", "\t")):
            raise self.refuse(f"begins a value with {first or 'nothing'!r}")

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

    # --- scalars

    def plain(self, parent: int) -> Any:
        self.plain_start(self.rest())
        parts: list[str] = []
        blank = 0
        while True:
            text, comment = _uncommented(self.rest())
            text = text.rstrip(" ")
            if "\t" in text:
                raise self.refuse("has a tab")
            if re.search(r":(?: |$)", text):
                raise self.refuse("has a key inside a value")
            if parts:
                parts.append("\n" * blank if blank else " ")
            parts.append(text)
            self.row += 1
            self.column = 0
            if comment:
                break
            blank = 0
            while self.row < len(self.lines) and not self.lines[self.row].strip(" "):
                blank += 1
                self.row += 1
            if self.row >= len(self.lines):
                break
            line = self.lines[self.row]
            indent = len(line) - len(line.lstrip(" "))
            if indent <= parent or line[indent] == "#":
                break
            self.column = indent
        if len(parts) == 1:
            return _resolved(parts[0])
        return "".join(parts)

    def quoted(self, parent: int) -> str:
        quote = self.rest()[0]
        self.column += 1
        out: list[str] = []
        while True:
            line = self.lines[self.row]
            piece: list[str] = []
            closed = escaped_end = False
            solid = 0  # what an escape has written is not trimmed at the end of a line
            while self.column < len(line):
                letter = line[self.column]
                self.column += 1
                if letter == quote == "'" and line[self.column : self.column + 1] == "'":
                    self.column += 1
                    piece.append("'")
                elif letter == quote:
                    closed = True
                    break
                elif letter == "\\" and quote == '"':
                    if self.column == len(line):
                        escaped_end = True
                    else:
                        piece.append(self.escape(line))
                        solid = len(piece)
                else:
                    piece.append(letter)
            if not closed and not escaped_end:
                while len(piece) > solid and piece[-1] in " \t":
                    piece.pop()
            out.extend(piece)
            if closed:
                return self.whole("".join(out))
            blank = 0
            while True:
                self.row += 1
                if self.row >= len(self.lines):
                    raise self.refuse("ends inside a quoted text")
                line = self.lines[self.row]
                if line.strip(" "):
                    break
                blank += 1
            if blank and escaped_end:
                raise self.refuse("comes after an escaped end of a line and an empty line")
            indent = len(line) - len(line.lstrip(" "))
            if line[indent] == "\t":
                raise self.refuse("has a tab")
            if indent <= parent:
                raise self.refuse("is inside a quoted text and not indented")
            self.column = indent
            out.append("\n" * blank if blank else "" if escaped_end else " ")

    def escape(self, line: str) -> str:
        letter = line[self.column]
        self.column += 1
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        length = {"x": 2, "u": 4, "U": 8}.get(letter, 0)
        digits = line[self.column : self.column + length]
        if not length or not re.fullmatch(r"[0-9A-Fa-f]{%d}" % length, digits) or int(digits, 16) > 0x10FFFF:
            raise self.refuse(f"has the escape \\{letter}, which is not known")
        self.column += length
        return chr(int(digits, 16))

    def whole(self, text: str) -> str:
        """Two halves of one character, as JSON writes them, become one."""
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise self.refuse("has half a character") from None

    def text_block(self, parent: int) -> str:
        header = re.match(r"([|>])(?:([1-9])([-+]?)|([-+])([1-9])?)?(?: *$| +#)", self.rest())
        if not header:
            raise self.refuse("has a text block with settings that are not known")
        style, digit, chomp, chomp2, digit2 = header.groups()
        keep = chomp or chomp2 or ""
        self.row += 1
        self.column = 0
        indent = max(parent, 0) + int(digit or digit2) if digit or digit2 else None
        rows: list[str] = []
        while self.row < len(self.lines):
            line = self.lines[self.row]
            spaces = len(line) - len(line.lstrip(" "))
            if indent is None and line.strip(" "):
                if spaces <= parent:
                    break
                if any(len(before) > spaces for before in rows):
                    raise self.refuse("is a text block whose first lines are indented further")
                indent = spaces
                rows = [""] * len(rows)
            if indent is None:
                rows.append(line)
            elif spaces >= indent or not line.strip(" "):
                rows.append(line[indent:])
            else:
                break
            self.row += 1
        rows = ["" if indent is None else row for row in rows]
        if indent is not None and indent <= parent:
            raise self.refuse("is a text block that is not indented")
        if rows and rows[0].startswith("\t"):
            raise self.refuse("has a tab")
        trailing = 0
        while rows and rows[-1] == "":
            rows.pop()
            trailing += 1
        text = "\n".join(rows) if style == "|" else _folded(rows)
        if keep == "+":
            return text + "\n" * (trailing + 1 if rows else trailing)
        return text + "\n" if rows and keep == "" else text

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
        return _resolved(parts[0]) if len(parts) == 1 else "".join(parts)


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _quote_end(line: str, start: int) -> int | None:
    """The column behind a quoted text that ends on its line."""
    pattern = r'"(?:[^"\\]|\\.)*"' if line[start] == '"' else r"'(?:[^']|'')*'(?!')"
    found = re.compile(pattern).match(line, start)
    return found.end() if found else None


def _uncommented(text: str) -> tuple[str, bool]:
    found = re.search(r" #", text)
    return (text[: found.start()], True) if found else (text, False)


def _folded(rows: list[str]) -> str:
    """Lines become one, except around lines that are indented further and empty ones."""
    out: list[str] = []
    blank = 0
    before: bool | None = None
    for row in rows:
        if row == "":
            blank += 1
            continue
        further = row[0] in " \t"
        if before is None:
            out.append("\n" * blank)
        elif before or further:
            out.append("\n" * (blank + 1))
        else:
            out.append("\n" * blank if blank else " ")
        out.append(row)
        before, blank = further, 0
    return "".join(out)


_FLOW_WORDS = re.compile(
    r"(?:[^,\[\]{}:# \t]|:(?![ ,\[\]{}]|$)|(?<! )#| +(?![# ]|$|:(?:[ ,\[\]{}]|$)|[,\[\]{}]))*"
)
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}
_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}


def _resolved(text: str) -> Any:
    """What a plain word means. Words that readers disagree about (yes, on, 0o7 and 010) stay as they are written."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if re.fullmatch(r"[-+]?(?:0|[1-9][0-9]{0,14})", text):
        return int(text)
    if re.fullmatch(r"[-+]?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][-+]?[0-9]+)?|[-+]?(?:0|[1-9][0-9]*)\.?(?:[eE][-+]?[0-9]+)", text):
        return float(text)
    return text
