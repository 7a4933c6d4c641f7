"""Reads the YAML that manifests use: block mappings and sequences, plain and quoted scalars, block scalars, flow
collections, comments, several documents, and JSON. Everything else (anchors, aliases, tags, merge keys, directives,
explicit keys, tabs) is refused with the line it is in: a guard must not guess what another reader will see."""

from __future__ import annotations

import json
import re
from typing import Any

from .yaml_document import Document
from .yaml_scalars import Refused

LARGEST = 4_000_000


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
    documents = [Document(lines, first).read() for lines, first in _documents(text.removesuffix("\n").split("\n"))]
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
        raise Refused("a key is repeated in one object")
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
