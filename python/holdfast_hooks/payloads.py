# Generated from the table of events by `npm run generate`. Do not edit.
"""What handlers get, as types. Import them for a type checker only: they cost time at each start.

    from __future__ import annotations

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from holdfast_hooks.payloads import BeforeShellExecution
"""

from __future__ import annotations

from typing import Any, Optional, TypedDict


class AnyEvent(TypedDict):
    """What every event carries."""

    hook_event_name: str
    """The event."""

    workspace_roots: list[str]
    """The folders that are open."""

    cursor_version: str
    """Version of the host."""

    user_email: Optional[str]
    """E-mail address of the signed-in user; None without one."""


class _InConversation(AnyEvent):
    conversation_id: str
    """Stable over the turns of one conversation. A subagent has its own."""

    generation_id: str
    """Changes with each message of the user; empty on session events."""

    model: str
    """The model of the conversation; "default" when none is pinned."""

    transcript_path: Optional[str]
    """File with the conversation so far; None when there is none."""

    session_id: str
    """The same as conversation_id."""


class InConversation(_InConversation, total=False):
    """What every event of a conversation carries."""

    model_id: str
    """Structured name of the model."""

    model_params: list[dict[str, Any]]
    """Settings of the model."""


class _SessionStart(InConversation):
    is_background_agent: bool
    """Whether it runs without a user."""


class SessionStart(_SessionStart, total=False):
    """A conversation is created. Hooks may add context and set variables for later hooks."""

    composer_mode: str
    """agent, ask or edit."""


class _SessionEnd(InConversation):
    reason: str
    """Why it ended."""

    duration_ms: float
    """How long it lasted, in milliseconds."""

    is_background_agent: bool
    """Whether it ran without a user."""

    final_status: str
    """Last status of the conversation."""


class SessionEnd(_SessionEnd, total=False):
    """A conversation ends. Responses are recorded and not used."""

    error_message: str
    """What went wrong, when the reason is error."""


class _PreToolUse(InConversation):
    tool_name: str
    """The tool: Shell, Read, Write, Delete, Grep, LS, Task, WebFetch, MCP:<tool> …"""

    tool_input: dict[str, Any]
    """What the tool is called with."""

    tool_use_id: str
    """Identifies this call."""

    cwd: str
    """Folder of the call; may be empty."""


class PreToolUse(_PreToolUse, total=False):
    """Any tool is about to be called. Hooks may stop the call, ask, or change its input."""

    agent_message: str
    """The text of the model before the call."""


class PostToolUse(InConversation):
    """A tool call succeeded. Hooks may add context, and replace the output of MCP tools."""

    tool_name: str
    """The tool: Shell, Read, Write, Delete, Grep, LS, Task, WebFetch, MCP:<tool> …"""

    tool_input: dict[str, Any]
    """What the tool is called with."""

    tool_use_id: str
    """Identifies this call."""

    cwd: str
    """Folder of the call; may be empty."""

    tool_output: str
    """The result as a JSON string."""

    duration: float
    """How long it took, in milliseconds."""


class PostToolUseFailure(InConversation):
    """A tool call failed, timed out or was denied."""

    tool_name: str
    """The tool: Shell, Read, Write, Delete, Grep, LS, Task, WebFetch, MCP:<tool> …"""

    tool_input: dict[str, Any]
    """What the tool is called with."""

    tool_use_id: str
    """Identifies this call."""

    cwd: str
    """Folder of the call; may be empty."""

    error_message: str
    """What went wrong."""

    failure_type: str
    """Which kind of failure."""

    duration: float
    """How long it took, in milliseconds."""

    is_interrupt: bool
    """Whether the user interrupted it."""


class _PermissionRequest(InConversation):
    tool_name: str
    """The tool: Shell, Read, Write, Delete, Grep, LS, Task, WebFetch, MCP:<tool> …"""

    tool_input: dict[str, Any]
    """What the tool is called with."""

    tool_use_id: str
    """Identifies this call."""

    cwd: str
    """Folder of the call; may be empty."""


class PermissionRequest(_PermissionRequest, total=False):
    """A call waits for the approval of the user. Hooks may refuse it, or notify somebody."""

    message: str
    """Why the user is asked."""


class _SubagentStart(InConversation):
    subagent_id: str
    """Identifies the subagent; the same as tool_call_id."""

    subagent_type: str
    """generalPurpose, explore, shell, or a custom name."""

    task: str
    """Its task."""

    parent_conversation_id: str
    """The conversation that starts it."""

    tool_call_id: str
    """The Task call that starts it."""

    subagent_model: str
    """Its model."""

    is_parallel_worker: bool
    """Whether it runs in parallel with others."""


class SubagentStart(_SubagentStart, total=False):
    """A subagent is about to start. Hooks may stop it."""

    git_branch: str
    """The branch it works on."""


class _SubagentStop(InConversation):
    subagent_type: str
    """generalPurpose, explore, shell, or a custom name."""

    status: str
    """How it ended."""

    task: str
    """What it was asked to do."""

    description: str
    """A short summary of the task."""

    summary: str
    """What it reports."""

    duration_ms: float
    """How long it took, in milliseconds."""

    message_count: float
    """Messages exchanged."""

    tool_call_count: float
    """Tools called."""

    loop_count: float
    """Automatic follow-ups so far."""

    modified_files: list[str]
    """Files it changed."""

    agent_transcript_path: Optional[str]
    """File with its own conversation."""


class SubagentStop(_SubagentStop, total=False):
    """A subagent ended. Hooks may continue it with a message."""

    error_message: str
    """What went wrong."""


class BeforeShellExecution(InConversation):
    """A shell command is about to run. Hooks may stop it or ask."""

    command: str
    """The full command."""

    cwd: str
    """Folder it runs in; may be empty."""

    sandbox: bool
    """Whether it runs in a sandbox."""


class _AfterShellExecution(InConversation):
    command: str
    """The full command."""

    output: str
    """Its output."""

    duration: float
    """How long it ran, in milliseconds, without waiting for approval."""

    sandbox: bool
    """Whether it ran in a sandbox."""


class AfterShellExecution(_AfterShellExecution, total=False):
    """A shell command ran."""

    cwd: str
    """Folder it ran in."""

    exit_code: float
    """Its exit code, where the host knows it."""


class _BeforeMCPExecution(InConversation):
    tool_name: str
    """The tool, without the server."""

    tool_input: str
    """Its arguments as a JSON string."""


class BeforeMCPExecution(_BeforeMCPExecution, total=False):
    """An MCP tool is about to be called. Hooks may stop the call or ask."""

    mcp_server_name: str
    """The key of the server in mcp.json."""

    mcp_server_url: str
    """Address of an HTTP server."""

    url: str
    """The same as mcp_server_url."""

    command: str
    """How a stdio server is started."""


class _AfterMCPExecution(InConversation):
    tool_name: str
    """The tool, without the server."""

    tool_input: str
    """Its arguments as a JSON string."""

    result_json: str
    """The result as a JSON string."""

    duration: float
    """How long it took, in milliseconds."""


class AfterMCPExecution(_AfterMCPExecution, total=False):
    """An MCP tool was called."""

    mcp_server_name: str
    """The key of the server in mcp.json."""

    mcp_server_url: str
    """Address of an HTTP server."""


class _BeforeReadFile(InConversation):
    file_path: str
    """Absolute path."""

    content: str
    """The complete content."""

    attachments: list[dict[str, Any]]
    """Files and rules that are attached."""


class BeforeReadFile(_BeforeReadFile, total=False):
    """A file is about to reach the model. Hooks may stop it."""

    tool_name: str
    """The tool that reads, when it is not Read."""


class _AfterFileEdit(InConversation):
    file_path: str
    """Absolute path."""

    edits: list[dict[str, Any]]
    """The replacements, in order."""


class AfterFileEdit(_AfterFileEdit, total=False):
    """The agent changed a file."""

    tool_name: str
    """The tool that wrote, when it is not Write."""


class _BeforeSubmitPrompt(InConversation):
    prompt: str
    """The message."""

    attachments: list[dict[str, Any]]
    """Files and rules that are attached."""


class BeforeSubmitPrompt(_BeforeSubmitPrompt, total=False):
    """The user sends a message. Hooks may keep it from being sent, change it, or add context."""

    composer_mode: str
    """agent, ask or edit."""


class _AfterAgentResponse(InConversation):
    text: str
    """The message."""


class AfterAgentResponse(_AfterAgentResponse, total=False):
    """The model finished a message."""

    input_tokens: float
    """Tokens read, cache included."""

    output_tokens: float
    """Tokens written."""

    cache_read_tokens: float
    """Tokens read from the cache."""

    cache_write_tokens: float
    """Tokens written to the cache."""


class _AfterAgentThought(InConversation):
    text: str
    """The reasoning."""


class AfterAgentThought(_AfterAgentThought, total=False):
    """The model finished a block of reasoning."""

    duration_ms: float
    """How long it took, in milliseconds."""


class PreCompact(InConversation):
    """The conversation is about to be compacted."""

    trigger: str
    """Whether the agent or the user started it."""

    context_usage_percent: float
    """How full the context is, in percent."""

    context_tokens: float
    """Tokens in the context."""

    context_window_size: float
    """Tokens that fit."""

    message_count: float
    """Messages in the conversation."""

    messages_to_compact: float
    """Messages that will be summarised."""

    is_first_compaction: bool
    """Whether it is the first of this conversation."""


class _Stop(InConversation):
    status: str
    """How the turn ended."""

    loop_count: float
    """Automatic follow-ups since the last message of the user."""


class Stop(_Stop, total=False):
    """The agent finished its turn. Hooks may continue it with a message."""

    input_tokens: float
    """Tokens read, cache included."""

    output_tokens: float
    """Tokens written."""

    cache_read_tokens: float
    """Tokens read from the cache."""

    cache_write_tokens: float
    """Tokens written to the cache."""


class BeforeTabFileRead(InConversation):
    """Inline completion is about to read a file. Hooks may stop it."""

    file_path: str
    """Absolute path."""

    content: str
    """The complete content."""


class AfterTabFileEdit(InConversation):
    """Inline completion changed a file."""

    file_path: str
    """Absolute path."""

    edits: list[dict[str, Any]]
    """The replacements with their place, in order."""


class WorkspaceOpen(AnyEvent):
    """A workspace was opened or its folders changed. Hooks may name further plugins."""
