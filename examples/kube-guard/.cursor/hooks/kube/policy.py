"""What is not wanted in a cluster, and what a person should see first. Change it here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

#: Kinds that reach beyond one namespace.
ASKED_KINDS = {
    "clusterrole", "clusterrolebinding", "customresourcedefinition", "validatingwebhookconfiguration",
    "mutatingwebhookconfiguration", "apiservice", "node", "persistentvolume", "storageclass", "priorityclass",
}
_SHORT_KINDS = {"ns": "namespace", "crd": "customresourcedefinition", "pv": "persistentvolume", "no": "node",
                "sc": "storageclass", "pc": "priorityclass"}
_PRODUCTION = re.compile(r"prod(?!uct(?!ion))|(?:^|[^a-z])prd(?:[^a-z]|$)", re.I)
_SECRET_NAME = re.compile(r"(?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credential)s?$", re.I)
_HOST = {"hostnetwork": "the network of the node", "hostpid": "the processes of the node", "hostipc": "the memory of the node"}


class Finding(NamedTuple):
    level: str  # deny or ask
    text: str


def is_production(name: object) -> bool:
    return isinstance(name, str) and bool(_PRODUCTION.search(name))


def kind_of(word: str) -> str:
    """clusterroles.rbac.authorization.k8s.io, clusterroles, ClusterRole -> clusterrole"""
    name = word.split(".")[0].lower()
    name = _SHORT_KINDS.get(name, name)
    if name.endswith("sses"):
        return name[:-2]
    return name[:-1] if name.endswith("s") and name[:-1] in ASKED_KINDS | {"namespace", "secret"} else name


def judged(value: Any, deleting: bool) -> Iterator[Finding]:
    """Checks a document at every level: a List hides nothing."""
    if isinstance(value, list):
        for item in value:
            yield from judged(item, deleting)
    if not isinstance(value, dict):
        return
    kind = value.get("kind")
    name = kind_of(kind) if isinstance(kind, str) else ""
    if name and "apiVersion" in value:
        yield from _object(value, name, deleting)
        if name == "customresourcedefinition":
            return  # its schema has the words without the things
    if not deleting:
        yield from _fields(value)
    for child in value.values():
        yield from judged(child, deleting)


def _object(value: dict[str, Any], kind: str, deleting: bool) -> Iterator[Finding]:
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    label = f"{value['kind']} {meta.get('name', '')}".strip()
    if deleting and kind == "namespace":
        yield Finding("deny", f"{label} would be deleted with everything in it")
    if not deleting:
        role = value.get("roleRef")
        if kind.endswith("rolebinding") and isinstance(role, dict) and role.get("name") == "cluster-admin":
            yield Finding("deny", f"{label} gives all rights on the cluster (cluster-admin)")
        if kind == "secret" and (value.get("data") or value.get("stringData")):
            yield Finding("deny", f"{label} holds a secret in plain text")
        if kind == "kustomization" and value.get("secretGenerator"):
            yield Finding("deny", "secretGenerator makes a secret from plain text")
    if kind in ASKED_KINDS:
        yield Finding("ask", f"{label} reaches beyond one namespace")
    if is_production(meta.get("namespace")):
        yield Finding("ask", f"{label} is for {meta['namespace']}")


def _fields(value: dict[str, Any]) -> Iterator[Finding]:
    for key, child in value.items():
        word = key.lower()
        if word == "privileged" and _is_true(child):
            yield Finding("deny", "a container is privileged")
        if word in _HOST and _is_true(child):
            yield Finding("deny", f"{key} opens {_HOST[word]}")
        if word == "hostpath" and child is not None:
            yield Finding("deny", f"hostPath mounts a folder of the node{_path(child)}")
    name, text = value.get("name"), value.get("value")
    if isinstance(name, str) and isinstance(text, str) and _SECRET_NAME.search(name) and text and not text.startswith("$("):
        yield Finding("deny", f"the variable {name} holds a secret in plain text")
    # A patch that names the place instead of standing in it.
    place = value.get("path")
    if isinstance(place, str) and "op" in value:
        yield from _fields({place.rsplit("/", 1)[-1]: text})
        if "/hostPath" in place:
            yield Finding("deny", "hostPath mounts a folder of the node")


def _path(child: Any) -> str:
    path = child.get("path") if isinstance(child, dict) else None
    return f" ({path})" if isinstance(path, str) else ""


def _is_true(value: Any) -> bool:
    """Also in the words that older readers of YAML take for true."""
    return value is True or (isinstance(value, str) and value.lower() in ("true", "yes", "on", "y", "t", "1"))
