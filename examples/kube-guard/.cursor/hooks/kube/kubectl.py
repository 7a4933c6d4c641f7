"""What one call of kubectl is about: its verb, the manifests it names, its context and namespace."""

from __future__ import annotations

import re
from typing import NamedTuple

NAMES = re.compile(r"(?:kubectl[\w.-]*|kubecolor|oc|k)$")

#: Verbs that change a cluster; any other is looking.
CHANGES = set(
    "apply create replace delete patch edit set scale rollout label annotate drain cordon uncordon taint autoscale"
    " expose run auth certificate cp exec debug".split()
)
_LOOKS = set(
    "get describe logs top explain diff wait version cluster-info api-resources api-versions config completion plugin"
    " port-forward proxy attach events kustomize options help alpha".split()
)
_WITH_VALUE = set(
    "--filename --kustomize --namespace --context --cluster --user --kubeconfig --server --token --as --as-group"
    " --selector --output --field-selector --patch --patch-file --type --overrides --from-literal --from-file"
    " --from-env-file --clusterrole --role --image --serviceaccount --group --request-timeout --certificate-authority"
    " --client-key --client-certificate --cache-dir --password --username --docker-password --docker-username"
    " --docker-server --timeout --grace-period --cascade --field-manager --prune-allowlist --subresource --container"
    " --sort-by --template --raw --replicas --port --labels --env --limits --requests --verb --resource".split()
)
_SHORT = {"f": "--filename", "k": "--kustomize", "n": "--namespace", "l": "--selector", "o": "--output", "c": "--container",
          "s": "--server", "v": "--v", "p": "--patch", "L": "--label-columns"}


class Call(NamedTuple):
    verb: str
    #: What follows the verb and is no option.
    words: list[str]
    options: dict[str, list[str]]

    def option(self, *names: str) -> list[str]:
        return [value for name in names for value in self.options.get(name, [])]

    @property
    def is_rehearsal(self) -> bool:
        values = self.option("--dry-run")
        return bool(values) and all(value in ("client", "server", "") for value in values)


def call_of(words: list[str]) -> Call:
    """From the words behind the name of the program."""
    positional: list[str] = []
    options: dict[str, list[str]] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            if not positional:
                continue
            break  # what follows is for a program in the cluster
        if word.startswith("--"):
            name, has_value, value = word.partition("=")
            if not has_value and name in _WITH_VALUE and rest:
                value = rest.pop(0)
            options.setdefault(name, []).append(value)
        elif word.startswith("-") and len(word) > 1:
            _letters(word[1:], rest, options)
        else:
            positional.append(word)
    # An option that is not known here may have put its value before the verb.
    at = next((at for at, word in enumerate(positional) if word in CHANGES | _LOOKS), None)
    if at is None:
        return Call("", positional, options)
    return Call(positional[at], positional[at + 1 :], options)


def _letters(letters: str, rest: list[str], options: dict[str, list[str]]) -> None:
    for at, letter in enumerate(letters):
        name = _SHORT.get(letter)
        if name is None:
            options.setdefault(f"-{letter}", []).append("")
            continue
        value = letters[at + 1 :]
        if value.startswith("="):
            value = value[1:]
        elif not value and rest:
            value = rest.pop(0)
        options.setdefault(name, []).append(value)
        return
