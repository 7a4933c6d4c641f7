"""Hooks for coding agents: handlers of events, with the same payload shape in every version.

    from holdfast_hooks import deny, hook

    @hook.on("beforeShellExecution")
    def guard(payload):
        if payload["command"].startswith("git push --force"):
            return deny("Force pushes are blocked here.", agent="Open a pull request instead.")

    hook.run()
"""

from __future__ import annotations

from ._payload import mcp_input
from ._program import EVENTS, Hook, ProgramResult, hook
from ._responses import Response, allow, ask, context, deny, env, followup, notice, plugins, reword, rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._audit import append_audit
    from ._command import CommandResult, run_command
    from ._paths import is_inside_workspace, workspace_path
    from ._state import State, conversation_state
    from ._tool_input import command_of, file_path_of, url_of

__all__ = [
    "EVENTS",
    "CommandResult",
    "Hook",
    "ProgramResult",
    "Response",
    "State",
    "allow",
    "append_audit",
    "ask",
    "command_of",
    "context",
    "conversation_state",
    "deny",
    "env",
    "file_path_of",
    "followup",
    "hook",
    "is_inside_workspace",
    "mcp_input",
    "notice",
    "plugins",
    "reword",
    "rewrite",
    "run_command",
    "url_of",
    "workspace_path",
]

# Loaded on first use: most programs do not need them, and loading delays every start.
_LAZY = {
    "CommandResult": "_command",
    "State": "_state",
    "append_audit": "_audit",
    "command_of": "_tool_input",
    "conversation_state": "_state",
    "file_path_of": "_tool_input",
    "is_inside_workspace": "_paths",
    "run_command": "_command",
    "url_of": "_tool_input",
    "workspace_path": "_paths",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(__import__(f"{__name__}.{_LAZY[name]}", fromlist=[name]), name)
