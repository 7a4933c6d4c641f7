#!/usr/bin/env python3
"""Looks at what kubectl would do before it does it: reads the manifests it names, in all their documents."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # for python3 -I
from holdfast_hooks import ask, deny, hook

# These read, and leave manifests as they are.
READERS = {"cat", "less", "more", "head", "tail", "grep", "rg", "ls", "wc", "diff", "yamllint", "kubeconform", "kubeval", "echo", "test", "["}


@hook.on("beforeShellExecution")
def guard(payload):
    command = payload["command"]
    # Most commands are not about a cluster; a name that is hidden needs one of these signs.
    if not re.search(r"kube|\b(?:oc|k)\b|[\\'\"$`*?{\[]|[A-Z]|\b(?:k3s|microk8s)\b", command):
        return None
    from kube import shell

    try:
        commands = shell.commands(command)
    except shell.Refused as why:
        return ask(f"This command cannot be read, so it may use kubectl: {why}. Run it?")
    roots = payload["workspace_roots"]
    findings = list(looked_at(commands, payload["cwd"] or (roots[0] if roots else os.getcwd())))
    for level, answer in (("deny", deny), ("ask", ask)):
        texts = list(dict.fromkeys(text[:400] for found, text in findings if found == level))
        if texts:
            said = "; ".join(texts[:4]) + (f"; and {len(texts) - 4} more" if len(texts) > 4 else "")
            return told(answer, said)
    return None


def told(answer, said):
    if answer is deny:
        return deny(
            f"Blocked before it reached the cluster: {said}.",
            agent=f"kubectl was blocked: {said}. Change the manifest, or leave this step to the person; do not send it in another way.",
        )
    return ask(f"{said[:1].upper()}{said[1:]}. Let kubectl go on?", agent=f"The person is asked first: {said}.")


def looked_at(commands, here):
    from kube import kubectl
    from kube.shell import MARK, plain

    context = None
    before = []
    for command in commands:
        name = command.words[0].rsplit("/", 1)[-1].lower()
        name = name[:-4] if name.endswith(".exe") else name
        rest = command.words[1:]
        if name in ("cd", "pushd"):
            folder = plain(rest[0]) if rest else "~"
            here = None if here is None or MARK in "".join(rest) else os.path.join(here, os.path.expanduser(folder))
        elif kubectl.NAMES.match(name):
            call = kubectl.call_of(rest)
            if call.verb == "config" and call.words[:1] == ["use-context"]:
                context = call.words[-1]
            yield from judged_call(call, command, here, context, before)
        elif MARK in name and any(plain(word) in kubectl.CHANGES for word in rest[:6]):
            yield "ask", f"only the shell knows which program {plain(command.words[0])} is"
        before.append(command)


def judged_call(call, command, here, context, before):
    from kube import policy, sources
    from kube.kubectl import CHANGES
    from kube.shell import MARK, plain

    if call.verb not in CHANGES:
        if not call.verb and any(MARK in word for word in call.words[:2]):
            yield "ask", "only the shell knows what kubectl would do"
        return
    if call.is_rehearsal:
        return
    deleting = call.verb == "delete"
    for finding in words_of(call, deleting):
        yield finding
    for place in where(call, command, here, context):
        if policy.is_production(plain(place)):
            yield "ask", f"kubectl {call.verb} would change {plain(place)}"

    files = call.option("--filename", "--patch-file")
    documents = list(sources.from_options(files, here, "-R" in call.options or "--recursive" in call.options))
    for folder in call.option("--kustomize"):
        documents += sources.from_kustomization(folder, here)
    for text in call.option("--patch", "--overrides"):
        documents += [sources.Doubt("only the shell knows the patch")] if MARK in text else sources.from_text(text, "the patch")
    if any("-" in value.split(",") for value in files):
        if command.stdin is not None:
            documents += sources.from_text(plain(command.stdin), "the text on stdin")
        documents.append(sources.Doubt("the manifest comes through stdin"))
    if files or call.option("--kustomize"):
        documents += [sources.Doubt(text) for text in changed(files + call.option("--kustomize"), here, before)]
    for document in documents:
        if isinstance(document, sources.Doubt):
            yield "ask", f"it is not certain what kubectl {call.verb} would send: {shown(document.text, here)}"
            continue
        if not isinstance(document.value, (dict, list)):
            yield "ask", f"{shown(document.place, here)} is no manifest"
        for level, text in policy.judged(document.value, deleting):
            yield level, f"{text} ({shown(document.place, here)})"


def words_of(call, deleting):
    """What the words themselves say, without a manifest."""
    from kube import policy
    from kube.shell import plain

    words = [plain(word) for word in call.words]
    if any("/" in word for word in words):
        kinds = {policy.kind_of(word.split("/")[0]) for word in words if "/" in word}
    else:
        kinds = {policy.kind_of(word) for word in words[0].split(",")} if words else set()
    if deleting and "namespace" in kinds:
        yield "deny", "a namespace would be deleted with everything in it"
    if deleting and ("--all" in call.options or "all" in kinds):
        yield "ask", "kubectl delete would delete everything of a kind"
    if call.verb in ("delete", "create", "patch", "edit", "replace"):
        for kind in sorted(kinds & policy.ASKED_KINDS):
            yield "ask", f"{kind} reaches beyond one namespace"
    if call.verb == "create":
        if "secret" in kinds and call.option("--from-literal", "--docker-password"):
            yield "deny", "a secret would stand in plain text in the command"
        elif "secret" in kinds:
            yield "ask", "a secret would be made from files"
        if any(plain(role) == "cluster-admin" for role in call.option("--clusterrole")):
            yield "deny", "the binding gives all rights on the cluster (cluster-admin)"
    if "--privileged" in call.options and call.option("--privileged") != ["false"]:
        yield "deny", "a container is privileged"


def where(call, command, here, context):
    """The names of the target cluster and namespace; the last is the current context of kubectl."""
    yield from call.option("--context", "--cluster", "--namespace", "--kubeconfig", "--server")
    config = command.variables.get("KUBECONFIG")
    if config:
        yield config
    if context:
        yield context
    elif not call.option("--context"):
        named = call.option("--kubeconfig") or (config or os.environ.get("KUBECONFIG", "")).split(os.pathsep)
        yield current_context([os.path.join(here or "", path) for path in named if path])


def current_context(paths):
    from kube.manifest import Refused, read_manifest

    for path in paths or [os.path.expanduser("~/.kube/config")]:
        try:
            with open(path, encoding="utf-8") as file:
                found = [each.get("current-context") for each in read_manifest(file.read()) if isinstance(each, dict)]
        except (OSError, UnicodeDecodeError, Refused):
            continue
        if found and isinstance(found[0], str):
            return found[0]
    return ""


def changed(values, here, before):
    """Manifests that the same command writes first were looked at too early."""
    from kube.shell import plain

    def full(word):
        return os.path.normpath(os.path.join(here or "/", plain(word)))

    paths = {full(part) for value in values for part in value.split(",") if part != "-"}
    for command in before:
        reads = command.words[0].rsplit("/", 1)[-1] in READERS
        for word in [*command.writes, *([] if reads else command.words[1:])]:
            one = full(word)
            if any(path == one or path.startswith(one + os.sep) or one.startswith(path + os.sep) for path in paths):
                yield f"{plain(word)} is changed by the same command"


def shown(text, here):
    """With paths as one would type them."""
    return text.replace(here.rstrip(os.sep) + os.sep, "") if here else text


hook.run()
