# Generated from the table of events by `npm run generate`. Do not edit.

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALWAYS: dict[str, Any] = {
    "kinds": {"hook_event_name": "string", "workspace_roots": "array", "cursor_version": "string", "user_email": "string"},
    "nullable": ["user_email"],
    "required": ["hook_event_name"],
    "defaults": {"workspace_roots": [], "cursor_version": "", "user_email": None},
}

CONVERSATION: dict[str, Any] = {
    "kinds": {"conversation_id": "string", "generation_id": "string", "model": "string", "transcript_path": "string", "session_id": "string", "model_id": "string", "model_params": "array"},
    "nullable": ["transcript_path"],
    "required": [],
    "defaults": {"conversation_id": "", "generation_id": "", "model": "", "transcript_path": None, "session_id": ""},
}

COPIES: dict[str, str] = {"session_id": "conversation_id"}

ATTACHMENT: dict[str, str] = {"filePath": "file_path"}

TWINS: dict[str, str] = {"user_message": "userMessage", "agent_message": "agentMessage"}

# Each row as JSON: a program reads the few it needs, which is faster than to build them all at each start.
EVENTS: dict[str, str] = {
    "sessionStart": '{"gate":"continue","ask":"none","since":"2.4","conversation":true,"answer":["continue","user_message","additional_context","env"],"kinds":{"is_background_agent":"boolean","composer_mode":"string"},"defaults":{"is_background_agent":false}}',
    "sessionEnd": '{"gate":"none","ask":"none","since":"2.4","conversation":true,"kinds":{"reason":"string","duration_ms":"number","is_background_agent":"boolean","final_status":"string","error_message":"string"},"defaults":{"reason":"completed","duration_ms":0,"is_background_agent":false,"final_status":"none"}}',
    "preToolUse": '{"gate":"permission","ask":"asks","since":"2.4","conversation":true,"answer":["permission","continue","user_message","agent_message","updated_input"],"kinds":{"tool_name":"string","tool_input":"object","tool_use_id":"string","cwd":"string","agent_message":"string"},"required":["tool_name"],"defaults":{"tool_input":{},"tool_use_id":"","cwd":""},"decision":["2.4"],"toolInput":"object"}',
    "postToolUse": '{"gate":"none","ask":"none","since":"2.4","conversation":true,"answer":["additional_context","updated_mcp_tool_output"],"kinds":{"tool_name":"string","tool_input":"object","tool_use_id":"string","cwd":"string","tool_output":"string","duration":"number"},"required":["tool_name"],"defaults":{"tool_input":{},"tool_use_id":"","cwd":"","tool_output":"","duration":0},"toolInput":"object"}',
    "postToolUseFailure": '{"gate":"none","ask":"none","since":"2.4","conversation":true,"answer":["additional_context"],"kinds":{"tool_name":"string","tool_input":"object","tool_use_id":"string","cwd":"string","error_message":"string","failure_type":"string","duration":"number","is_interrupt":"boolean"},"required":["tool_name"],"defaults":{"tool_input":{},"tool_use_id":"","cwd":"","error_message":"","failure_type":"error","duration":0,"is_interrupt":false},"toolInput":"object"}',
    "subagentStart": '{"gate":"permission","ask":"denies","since":"2.4","conversation":true,"answer":["permission","continue","user_message","agent_message"],"kinds":{"subagent_id":"string","subagent_type":"string","task":"string","parent_conversation_id":"string","tool_call_id":"string","subagent_model":"string","is_parallel_worker":"boolean","git_branch":"string"},"required":["subagent_type"],"defaults":{"subagent_id":"","task":"","parent_conversation_id":"","tool_call_id":"","subagent_model":"","is_parallel_worker":false},"accepts":{"prompt":"task"},"renames":{"2.4":{"model":"subagent_model"}},"decision":["2.4"]}',
    "subagentStop": '{"gate":"none","ask":"none","since":"2.4","conversation":true,"answer":["followup_message"],"kinds":{"subagent_type":"string","status":"string","task":"string","description":"string","summary":"string","duration_ms":"number","message_count":"number","tool_call_count":"number","loop_count":"number","modified_files":"array","agent_transcript_path":"string","error_message":"string"},"nullable":["agent_transcript_path"],"required":["subagent_type"],"defaults":{"status":"completed","task":"","description":"","summary":"","duration_ms":0,"message_count":0,"tool_call_count":0,"loop_count":0,"modified_files":[],"agent_transcript_path":null},"accepts":{"result":"summary","duration":"duration_ms"}}',
    "beforeShellExecution": '{"gate":"permission","ask":"asks","since":"1.7","conversation":true,"answer":["permission","continue","user_message","agent_message"],"kinds":{"command":"string","cwd":"string","sandbox":"boolean"},"required":["command"],"defaults":{"cwd":"","sandbox":false}}',
    "afterShellExecution": '{"gate":"none","ask":"none","since":"2.0","conversation":true,"kinds":{"command":"string","output":"string","duration":"number","sandbox":"boolean","cwd":"string","exit_code":"number"},"required":["command"],"defaults":{"output":"","duration":0,"sandbox":false},"accepts":{"exitCode":"exit_code"}}',
    "beforeMCPExecution": '{"gate":"permission","ask":"asks","since":"1.7","conversation":true,"answer":["permission","continue","user_message","agent_message"],"kinds":{"tool_name":"string","tool_input":"string","mcp_server_name":"string","mcp_server_url":"string","url":"string","command":"string"},"required":["tool_name"],"defaults":{"tool_input":"{}"},"accepts":{"server":"mcp_server_name","server_name":"mcp_server_name"},"toolInput":"text"}',
    "afterMCPExecution": '{"gate":"none","ask":"none","since":"2.0","conversation":true,"kinds":{"tool_name":"string","tool_input":"string","mcp_server_name":"string","mcp_server_url":"string","result_json":"string","duration":"number"},"required":["tool_name"],"defaults":{"tool_input":"{}","result_json":"{}","duration":0},"accepts":{"server":"mcp_server_name","server_name":"mcp_server_name"},"seconds":{"duration":["2.3"]},"toolInput":"text"}',
    "beforeReadFile": '{"gate":"permission","ask":"invalid","since":"1.7","conversation":true,"answer":["permission","continue","user_message","agent_message"],"kinds":{"file_path":"string","content":"string","attachments":"array","tool_name":"string"},"required":["file_path"],"defaults":{"content":"","attachments":[]},"accepts":{"path":"file_path","filePath":"file_path"}}',
    "afterFileEdit": '{"gate":"none","ask":"none","since":"1.7","conversation":true,"kinds":{"file_path":"string","edits":"array","tool_name":"string"},"required":["file_path"],"defaults":{"edits":[]},"accepts":{"path":"file_path","filePath":"file_path"}}',
    "beforeSubmitPrompt": '{"gate":"continue","ask":"none","since":"1.7","conversation":true,"answer":["continue","user_message"],"kinds":{"prompt":"string","attachments":"array","composer_mode":"string"},"required":["prompt"],"defaults":{"attachments":[]},"accepts":{"prompt_text":"prompt"}}',
    "afterAgentResponse": '{"gate":"none","ask":"none","since":"2.0","conversation":true,"kinds":{"text":"string","input_tokens":"number","output_tokens":"number","cache_read_tokens":"number","cache_write_tokens":"number"},"required":["text"]}',
    "afterAgentThought": '{"gate":"none","ask":"none","since":"2.0","conversation":true,"kinds":{"text":"string","duration_ms":"number"},"required":["text"]}',
    "preCompact": '{"gate":"none","ask":"none","since":"2.4","conversation":true,"answer":["user_message"],"kinds":{"trigger":"string","context_usage_percent":"number","context_tokens":"number","context_window_size":"number","message_count":"number","messages_to_compact":"number","is_first_compaction":"boolean"},"defaults":{"trigger":"auto","context_usage_percent":0,"context_tokens":0,"context_window_size":0,"message_count":0,"messages_to_compact":0,"is_first_compaction":true}}',
    "stop": '{"gate":"none","ask":"none","since":"1.7","conversation":true,"answer":["followup_message"],"kinds":{"status":"string","loop_count":"number","input_tokens":"number","output_tokens":"number","cache_read_tokens":"number","cache_write_tokens":"number"},"defaults":{"status":"completed","loop_count":0}}',
    "beforeTabFileRead": '{"gate":"permission","ask":"invalid","since":"2.0","conversation":true,"answer":["permission","continue","user_message","agent_message"],"kinds":{"file_path":"string","content":"string"},"required":["file_path"],"defaults":{"content":""},"accepts":{"path":"file_path","filePath":"file_path"}}',
    "afterTabFileEdit": '{"gate":"none","ask":"none","since":"2.0","conversation":true,"kinds":{"file_path":"string","edits":"array"},"required":["file_path"],"defaults":{"edits":[]},"accepts":{"path":"file_path","filePath":"file_path"}}',
    "workspaceOpen": '{"gate":"none","ask":"none","since":"3","conversation":false,"answer":["pluginPaths"]}',
}
