"""The lines of a document and the texts, numbers and words in them, however they are quoted or folded."""

from __future__ import annotations

import re
from typing import Any


class Refused(Exception):
    """What cannot be read for certain."""


class Scalars:
    def __init__(self, lines: list[str], first: int) -> None:
        self.lines = lines
        self.first = first
        self.row = 0
        self.column = 0

    def refuse(self, why: str) -> Refused:
        return Refused(f"line {self.first + min(self.row, max(len(self.lines) - 1, 0))} {why}")

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
        """Only a comment may follow a value."""
        rest = self.rest()
        if rest.strip(" ") and not re.match(r" +#", rest):
            raise self.refuse(f"has text behind {what}")
        self.row += 1
        self.column = 0

    # --- scalars; `parent` is the indent of what holds them

    def plain_start(self, text: str) -> None:
        first = text[:1]
        names = {"&": "an anchor", "*": "an alias", "!": "a tag", "%": "a directive", "\t": "a tab"}
        if first in names:
            raise self.refuse(f"has {names[first]}")
        if first == "" or first in ",[]{}#|>@`\"'" or (first in "?:-" and text[1:2] in ("", " ", "\t")):
            raise self.refuse(f"begins a value with {first or 'nothing'!r}")

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
            return self.resolved(parts[0])
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

    @staticmethod
    def resolved(text: str) -> Any:
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


_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}
_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}
