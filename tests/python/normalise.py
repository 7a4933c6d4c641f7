"""Reads a JSON list of payloads, each as the text that a hook would read; prints what handlers get for each."""

import json
import sys

sys.path.insert(0, sys.argv[1])

from holdfast_hooks import EVENTS, Hook  # noqa: E402

got = []
program = Hook()


@program.on(*EVENTS)
def keep(payload):
    got.append(payload)


shapes = []
for text in json.load(sys.stdin):
    reply = program.answer_to(text)
    shapes.append({"problem": reply.problem} if reply.problem else {"payload": got.pop()})
json.dump(shapes, sys.stdout)
