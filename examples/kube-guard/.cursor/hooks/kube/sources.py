"""Where manifests come from: files, folders, kustomizations. What cannot be read here is a Doubt."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .manifest import LARGEST, Refused, read_manifest
from .shell import MARK, plain

MOST_FILES = 300
_ENDINGS = (".yaml", ".yml", ".json")
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class Document(NamedTuple):
    place: str
    value: Any


class Doubt(NamedTuple):
    """Why nobody can tell what would be sent to the cluster."""

    text: str


def from_options(values: list[str], here: str | None, recursive: bool) -> Iterator[Document | Doubt]:
    """Of -f and --filename."""
    for word in (part for value in values for part in value.split(",")):
        path = plain(word)
        if path == "-":
            continue  # what is on stdin is looked at by who knows it
        if re.match(r"[a-z][a-z0-9+.-]*://", path, re.I):
            yield Doubt(f"{path} is on the network")
        elif re.search(MARK + r"[^*?\[]", word):
            yield Doubt(f"only the shell knows what {path} is")
        elif here is None and not os.path.isabs(path):
            yield Doubt(f"only the shell knows the folder of {path}")
        else:
            full = os.path.join(here or "/", os.path.expanduser(path))
            found = sorted(glob.glob(full)) if re.search(r"[*?\[]", path) and not os.path.exists(full) else [full]
            if not found:
                yield Doubt(f"{path} is not there yet")
            for each in found:
                yield from (_folder(each, recursive) if os.path.isdir(each) else _file(each))


def from_kustomization(folder: str, here: str | None, seen: set[str] | None = None) -> Iterator[Document | Doubt]:
    """Of -k: what it lists, what it patches with, and what it makes by itself."""
    seen = set() if seen is None else seen
    path = plain(folder)
    if MARK in folder or (here is None and not os.path.isabs(path)) or "://" in path or "?ref=" in path:
        yield Doubt(f"{path} cannot be looked at from here")
        return
    full = os.path.realpath(os.path.join(here or "/", os.path.expanduser(path)))
    if full in seen:
        return
    seen.add(full)
    file = next((os.path.join(full, name) for name in _KUSTOMIZATIONS if os.path.isfile(os.path.join(full, name))), None)
    if file is None or len(seen) > MOST_FILES:
        yield Doubt(f"{path} has no kustomization that can be read")
        return
    for document in _file(file):
        if isinstance(document, Doubt) or not isinstance(document.value, dict):
            yield document
            continue
        yield document
        yield from _listed(document.value, full, seen)


def _listed(settings: dict[str, Any], folder: str, seen: set[str]) -> Iterator[Document | Doubt]:
    for key in ("resources", "bases", "components", "crds", "patchesStrategicMerge"):
        for entry in settings.get(key) or []:
            yield from _entry(entry, folder, seen)
    for key in ("patches", "patchesJson6902"):
        for entry in settings.get(key) or []:
            if isinstance(entry, dict):
                yield from _entry(entry.get("path") or entry.get("patch"), folder, seen)
    for key in ("generators", "transformers", "validators", "helmCharts", "helmChartInflationGenerator", "replacements"):
        if settings.get(key):
            yield Doubt(f"the kustomization in {folder} uses {key}")


def _entry(entry: Any, folder: str, seen: set[str]) -> Iterator[Document | Doubt]:
    if not isinstance(entry, str):
        return
    path = os.path.join(folder, entry)
    if "\n" in entry or entry.lstrip().startswith(("{", "[", "-")):
        yield from _text(entry, f"a patch in {folder}")
    elif "://" in entry or "?ref=" in entry or entry.startswith("github.com/"):
        yield Doubt(f"{entry} is on the network")
    elif os.path.isdir(path):
        yield from from_kustomization(path, folder, seen)
    else:
        yield from _file(path)


def _folder(folder: str, recursive: bool) -> Iterator[Document | Doubt]:
    count = 0
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(folders) if recursive else []
        for name in sorted(files):
            if not name.endswith(_ENDINGS):
                continue
            count += 1
            if count > MOST_FILES:
                yield Doubt(f"{folder} has more than {MOST_FILES} manifests")
                return
            yield from _file(os.path.join(base, name))


def _file(file: str) -> Iterator[Document | Doubt]:
    try:
        if not os.path.isfile(file):
            yield Doubt(f"{file} is not there yet, or no file")
            return
        with open(file, "rb") as stream:
            data = stream.read(LARGEST + 1)
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        yield Doubt(f"{file} cannot be read")
        return
    yield from _text(text, file)


def _text(text: str, place: str) -> Iterator[Document | Doubt]:
    try:
        documents = read_manifest(text)
    except Refused as why:
        yield Doubt(f"{place}: {why}, which this guard does not read")
        return
    for number, value in enumerate(documents, 1):
        yield Document(f"{place}, document {number}" if len(documents) > 1 else place, value)


def from_text(text: str, place: str) -> Iterator[Document | Doubt]:
    yield from _text(text, place)
