"""Hooks for coding agents: a handler for each event, one shape of payload whatever version sent it.

    from holdfast_hooks import deny, hook

    @hook.on("beforeShellExecution")
    def guard(payload):
        if payload["command"].startswith("git push --force"):
            return deny("Force pushes are blocked here.", agent="Open a pull request instead.")

    hook.run()
"""

from __future__ import annotations

from ._answers import Answer, allow, ask, context, deny, env, followup, notice, plugins, rewrite
from ._payload import mcp_input
from ._program import EVENTS, Hook, Reply, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._audit import append_audit
    from ._command import Ended, run_command
    from ._paths import is_inside_workspace, workspace_path
    from ._state import State, conversation_state

__all__ = [
    "EVENTS",
    "Answer",
    "Ended",
    "Hook",
    "Reply",
    "State",
    "allow",
    "append_audit",
    "ask",
    "context",
    "conversation_state",
    "deny",
    "env",
    "followup",
    "hook",
    "is_inside_workspace",
    "mcp_input",
    "notice",
    "plugins",
    "rewrite",
    "run_command",
    "workspace_path",
]

# Read from disk only when a program names them: most programs do not, and every program waits for what is read.
_LATER = {
    "Ended": "_command",
    "State": "_state",
    "append_audit": "_audit",
    "conversation_state": "_state",
    "is_inside_workspace": "_paths",
    "run_command": "_command",
    "workspace_path": "_paths",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(__import__(f"{__name__}.{_LATER[name]}", fromlist=[name]), name)
