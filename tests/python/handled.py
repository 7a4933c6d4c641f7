"""Reads a JSON list of cases and prints the payload that a handler receives and the response.

A case is {"text": what a hook reads, "on_error": a policy, "say": [[word, argument ...] ...]}.
"""

import json
import sys

sys.path.insert(0, sys.argv[1])

import holdfast_hooks  # noqa: E402


def handled(case):
    got = []
    program = holdfast_hooks.Hook(on_error=case.get("on_error", "deny"))

    @program.on(*holdfast_hooks.EVENTS)
    def handler(payload):
        got.append(payload)
        return [said(*each) for each in case.get("say", [])]

    reply = program.respond_to(case["text"])
    return {"payload": got[0] if got else None, "answer": reply.response, "problem": reply.problem}


def said(word, *arguments):
    build = getattr(holdfast_hooks, word)
    if len(arguments) == 2:
        return build(arguments[0], agent=arguments[1])
    return build(*arguments)


json.dump([handled(case) for case in json.load(sys.stdin)], sys.stdout)
