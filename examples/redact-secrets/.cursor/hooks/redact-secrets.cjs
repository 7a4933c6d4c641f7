#!/usr/bin/env node
// holdfast-sdk 0.1.0; made from redact-secrets.ts by "holdfast build": change that and build again. sources 7d3488c1a5701ba1 code 71fd31746b1fbb58
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// redact-secrets.ts
var redact_secrets_exports = {};
__export(redact_secrets_exports, {
  default: () => redact_secrets_default
});
module.exports = __toCommonJS(redact_secrets_exports);
var import_node_fs3 = require("node:fs");
var import_node_path2 = require("node:path");

// ../../../../packages/hooks/src/sdk/hook.ts
var import_node_fs = require("node:fs");

// ../../../../packages/hooks/src/sdk/rows.ts
var COMMON = { "always": { "hook_event_name": "string", "workspace_roots": "array", "cursor_version": "string", "user_email": "string or null" }, "conversation": { "conversation_id": "string", "generation_id": "string", "model": "string", "transcript_path": "string or null", "session_id": "string", "model_id": "optional string", "model_params": "optional array" } };
var ROWS = {
  sessionStart: { "gate": "continue", "ask": "none", "answer": ["continue", "user_message", "additional_context", "env"], "defaults": { "is_background_agent": false }, "kinds": { "is_background_agent": "boolean", "composer_mode": "string" }, "conversation": true },
  sessionEnd: { "gate": "none", "ask": "none", "answer": [], "defaults": { "reason": "completed", "duration_ms": 0, "is_background_agent": false, "final_status": "none" }, "kinds": { "reason": "string", "duration_ms": "number", "is_background_agent": "boolean", "final_status": "string", "error_message": "string" }, "conversation": true },
  preToolUse: { "gate": "permission", "ask": "asks", "answer": ["permission", "continue", "user_message", "agent_message", "updated_input"], "required": ["tool_name"], "defaults": { "tool_input": {}, "tool_use_id": "", "cwd": "" }, "kinds": { "tool_name": "string", "tool_input": "object", "tool_use_id": "string", "cwd": "string", "agent_message": "string" }, "conversation": true, "decision": ["2.4"] },
  postToolUse: { "gate": "none", "ask": "none", "answer": ["additional_context", "updated_mcp_tool_output"], "required": ["tool_name"], "defaults": { "tool_input": {}, "tool_use_id": "", "cwd": "", "tool_output": "", "duration": 0 }, "kinds": { "tool_name": "string", "tool_input": "object", "tool_use_id": "string", "cwd": "string", "tool_output": "string", "duration": "number" }, "conversation": true },
  postToolUseFailure: { "gate": "none", "ask": "none", "answer": ["additional_context"], "required": ["tool_name"], "defaults": { "tool_input": {}, "tool_use_id": "", "cwd": "", "error_message": "", "failure_type": "error", "duration": 0, "is_interrupt": false }, "kinds": { "tool_name": "string", "tool_input": "object", "tool_use_id": "string", "cwd": "string", "error_message": "string", "failure_type": "string", "duration": "number", "is_interrupt": "boolean" }, "conversation": true },
  permissionRequest: { "gate": "permission", "ask": "none", "answer": ["permission", "continue", "user_message", "agent_message"], "required": ["tool_name"], "defaults": { "tool_input": {}, "tool_use_id": "", "cwd": "" }, "kinds": { "tool_name": "string", "tool_input": "object", "tool_use_id": "string", "cwd": "string", "message": "string" }, "conversation": true },
  subagentStart: { "gate": "permission", "ask": "denies", "answer": ["permission", "continue", "user_message", "agent_message"], "required": ["subagent_type"], "defaults": { "subagent_id": "", "task": "", "parent_conversation_id": "", "tool_call_id": "", "subagent_model": "", "is_parallel_worker": false }, "kinds": { "subagent_id": "string", "subagent_type": "string", "task": "string", "parent_conversation_id": "string", "tool_call_id": "string", "subagent_model": "string", "is_parallel_worker": "boolean", "git_branch": "string" }, "conversation": true, "accepts": { "prompt": "task" }, "inVersion": { "2.4": { "model": "subagent_model" } }, "decision": ["2.4"] },
  subagentStop: { "gate": "none", "ask": "none", "answer": ["followup_message"], "required": ["subagent_type"], "defaults": { "status": "completed", "task": "", "description": "", "summary": "", "duration_ms": 0, "message_count": 0, "tool_call_count": 0, "loop_count": 0, "modified_files": [], "agent_transcript_path": null }, "kinds": { "subagent_type": "string", "status": "string", "task": "string", "description": "string", "summary": "string", "duration_ms": "number", "message_count": "number", "tool_call_count": "number", "loop_count": "number", "modified_files": "array", "agent_transcript_path": "string or null", "error_message": "string" }, "conversation": true, "accepts": { "result": "summary", "duration": "duration_ms" } },
  beforeShellExecution: { "gate": "permission", "ask": "asks", "answer": ["permission", "continue", "user_message", "agent_message"], "required": ["command"], "defaults": { "cwd": "", "sandbox": false }, "kinds": { "command": "string", "cwd": "string", "sandbox": "boolean" }, "conversation": true },
  afterShellExecution: { "gate": "none", "ask": "none", "answer": [], "required": ["command"], "defaults": { "output": "", "duration": 0, "sandbox": false }, "kinds": { "command": "string", "output": "string", "duration": "number", "sandbox": "boolean", "cwd": "string", "exit_code": "number" }, "conversation": true, "accepts": { "exitCode": "exit_code" } },
  beforeMCPExecution: { "gate": "permission", "ask": "asks", "answer": ["permission", "continue", "user_message", "agent_message"], "required": ["tool_name"], "defaults": { "tool_input": "{}" }, "kinds": { "tool_name": "string", "tool_input": "string", "mcp_server_name": "string", "mcp_server_url": "string", "url": "string", "command": "string" }, "conversation": true, "accepts": { "server": "mcp_server_name", "server_name": "mcp_server_name" } },
  afterMCPExecution: { "gate": "none", "ask": "none", "answer": [], "required": ["tool_name"], "defaults": { "tool_input": "{}", "result_json": "{}", "duration": 0 }, "kinds": { "tool_name": "string", "tool_input": "string", "mcp_server_name": "string", "mcp_server_url": "string", "result_json": "string", "duration": "number" }, "conversation": true, "accepts": { "server": "mcp_server_name", "server_name": "mcp_server_name" }, "seconds": { "2.3": ["duration"] } },
  beforeReadFile: { "gate": "permission", "ask": "invalid", "answer": ["permission", "continue", "user_message", "agent_message"], "required": ["file_path"], "defaults": { "content": "", "attachments": [] }, "kinds": { "file_path": "string", "content": "string", "attachments": "array", "tool_name": "string" }, "conversation": true, "accepts": { "path": "file_path", "filePath": "file_path" } },
  afterFileEdit: { "gate": "none", "ask": "none", "answer": [], "required": ["file_path"], "defaults": { "edits": [] }, "kinds": { "file_path": "string", "edits": "array", "tool_name": "string" }, "conversation": true, "accepts": { "path": "file_path", "filePath": "file_path" } },
  beforeSubmitPrompt: { "gate": "continue", "ask": "none", "answer": ["continue", "user_message", "updated_prompt", "additional_context"], "required": ["prompt"], "defaults": { "attachments": [] }, "kinds": { "prompt": "string", "attachments": "array", "composer_mode": "string" }, "conversation": true, "accepts": { "prompt_text": "prompt" } },
  afterAgentResponse: { "gate": "none", "ask": "none", "answer": [], "required": ["text"], "kinds": { "text": "string", "input_tokens": "number", "output_tokens": "number", "cache_read_tokens": "number", "cache_write_tokens": "number" }, "conversation": true },
  afterAgentThought: { "gate": "none", "ask": "none", "answer": [], "required": ["text"], "kinds": { "text": "string", "duration_ms": "number" }, "conversation": true },
  preCompact: { "gate": "none", "ask": "none", "answer": ["user_message"], "defaults": { "trigger": "auto", "context_usage_percent": 0, "context_tokens": 0, "context_window_size": 0, "message_count": 0, "messages_to_compact": 0, "is_first_compaction": true }, "kinds": { "trigger": "string", "context_usage_percent": "number", "context_tokens": "number", "context_window_size": "number", "message_count": "number", "messages_to_compact": "number", "is_first_compaction": "boolean" }, "conversation": true },
  stop: { "gate": "none", "ask": "none", "answer": ["followup_message"], "defaults": { "status": "completed", "loop_count": 0 }, "kinds": { "status": "string", "loop_count": "number", "input_tokens": "number", "output_tokens": "number", "cache_read_tokens": "number", "cache_write_tokens": "number" }, "conversation": true },
  beforeTabFileRead: { "gate": "permission", "ask": "invalid", "answer": ["permission", "continue", "user_message", "agent_message"], "required": ["file_path"], "defaults": { "content": "" }, "kinds": { "file_path": "string", "content": "string" }, "conversation": true, "accepts": { "path": "file_path", "filePath": "file_path" } },
  afterTabFileEdit: { "gate": "none", "ask": "none", "answer": [], "required": ["file_path"], "defaults": { "edits": [] }, "kinds": { "file_path": "string", "edits": "array" }, "conversation": true, "accepts": { "path": "file_path", "filePath": "file_path" } },
  workspaceOpen: { "gate": "none", "ask": "none", "answer": ["pluginPaths"], "conversation": false }
};

// ../../../../packages/hooks/src/sdk/normalise.ts
var isEvent = (name) => typeof name === "string" && Object.hasOwn(ROWS, name);
var versionOf = ({ cursor_version }) => {
  const [, major, minor] = /^(\d+)(?:\.(\d+))?/.exec(typeof cursor_version === "string" ? cursor_version : "") ?? [];
  if (major === void 0) return void 0;
  return Number(major) >= 3 ? "3" : `${major}.${minor ?? 0}`;
};
function normalise(name, sent) {
  const row = ROWS[name];
  const payload = { ...sent };
  renameFields(row, payload, versionOf(sent));
  const problems = [];
  const kinds = row.kinds ?? {};
  for (const [field, kind] of Object.entries(kinds)) {
    const value = payload[field] ?? void 0;
    const isRequired = row.required?.includes(field);
    const mustFit = isRequired || field === "tool_input" && value !== void 0;
    if (isRequired && value === void 0) problems.push(`"${field}" is missing`);
    else if (mustFit && !isKind(kind, value)) problems.push(`"${field}" is not ${withArticle(kind)}`);
    setDefault(payload, field, kind, row.defaults?.[field]);
  }
  const common = { ...COMMON.always, ...row.conversation ? COMMON.conversation : {} };
  for (const [field, kind] of Object.entries(common)) {
    if (field === "session_id") setDefault(payload, field, "string", payload.conversation_id);
    else if (kind.startsWith("optional ")) setDefault(payload, field, kind.slice(9), void 0);
    else setDefault(payload, field, kind, EMPTY[kind]);
  }
  return { payload, problems };
}
function renameFields(row, payload, version) {
  for (const [old, today] of Object.entries(row.accepts ?? {})) {
    if (payload[old] === void 0 || row.kinds?.[old]) continue;
    if (payload[today] === void 0) payload[today] = payload[old];
    delete payload[old];
  }
  for (const [old, today] of Object.entries(row.inVersion?.[version] ?? {})) payload[today] ??= payload[old];
  for (const field of row.seconds?.[version] ?? []) {
    if (typeof payload[field] === "number") payload[field] *= 1e3;
  }
  if (row.kinds?.attachments && Array.isArray(payload.attachments)) {
    payload.attachments = payload.attachments.map(renameAttachmentPath);
  }
  const input = row.kinds?.tool_input;
  if (input === "string" && typeof payload.tool_input === "object" && payload.tool_input !== null) {
    payload.tool_input = JSON.stringify(payload.tool_input);
  } else if (input === "object" && typeof payload.tool_input === "string") {
    const text = payload.tool_input;
    payload.tool_input = text.trim() === "" ? {} : parseObject(text) ?? text;
  }
}
var renameAttachmentPath = (item) => {
  if (!isKind("object", item) || "file_path" in item || !("filePath" in item)) return item;
  const { filePath, ...rest } = item;
  return { ...rest, file_path: filePath };
};
function setDefault(payload, field, kind, fallback) {
  const value = payload[field];
  if (isKind(kind, value)) return;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  if (kind === "number" && Number.isFinite(number)) payload[field] = number;
  else if (fallback === void 0) delete payload[field];
  else payload[field] = typeof fallback === "object" ? structuredClone(fallback) : fallback;
}
var EMPTY = {
  string: "",
  number: 0,
  boolean: false,
  object: {},
  array: [],
  "string or null": null
};
function isKind(kind, value) {
  if (kind === "array") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "string or null") return value === null || typeof value === "string";
  return typeof value === kind;
}
var withArticle = (kind) => /^[ao]/.test(kind) ? `an ${kind}` : `a ${kind}`;
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return isKind("object", value) ? value : void 0;
  } catch {
    return void 0;
  }
}

// ../../../../packages/hooks/src/protocol/strictness.ts
var STRICTNESS = { abstain: 0, allow: 1, ask: 2, deny: 3 };

// ../../../../packages/hooks/src/sdk/responses.ts
var BRAND = /* @__PURE__ */ Symbol.for("holdfast.response");
var isHookResponse = (value) => typeof value === "object" && value !== null && BRAND in value;
var make = (content) => ({ ...content, [BRAND]: true });
var decide = (kind) => ((user, also) => make({ kind, user, agent: also?.agent }));
var deny = decide("deny");
var ask = decide("ask");

// ../../../../packages/hooks/src/sdk/render.ts
function render(event, result, payload) {
  const row = ROWS[event];
  const response = {};
  for (const part of Array.isArray(result) ? result : [result]) {
    if (part === void 0 || part === null) continue;
    const fields = isHookResponse(part) ? fieldsOf(part, row) : plainFields(part, row);
    if (!fields) {
      const name = isHookResponse(part) ? `${part.kind}()` : describe(part);
      throw new TypeError(`${name} is not a response to ${event}; ${describeAccepted(event, row)}`);
    }
    merge(response, fields);
  }
  return addOldNames(response, row, versionOf(payload));
}
function merge(response, fields) {
  const strictnessOf = ({ permission = "abstain" }) => STRICTNESS[permission];
  if (strictnessOf(fields) < strictnessOf(response)) delete fields.permission;
  if (response.continue === false) delete fields.continue;
  for (const [name, value] of Object.entries(fields)) {
    const old = response[name];
    if (typeof old === "object" && old !== null)
      response[name] = Array.isArray(old) ? [...old, ...value] : { ...old, ...value };
    else if (typeof old === "string" && name !== "permission" && name !== "updated_prompt")
      response[name] = `${old}

${value}`;
    else response[name] = value;
  }
}
var FIELDS = {
  followup: ["followup_message"],
  context: ["additional_context"],
  rewrite: ["updated_input", "updated_mcp_tool_output"],
  reword: ["updated_prompt"],
  env: ["env"],
  plugins: ["pluginPaths"]
};
var KINDS = ["allow", "deny", "ask", "notice", ...Object.keys(FIELDS)];
function fieldsOf({ kind, user, agent, text, value }, row) {
  const hasField = (name) => row.answer.includes(name);
  const content = () => value === void 0 ? checkText(kind, text) : value;
  if (kind === "notice")
    return row.gate === "none" && hasField("user_message") ? { user_message: content() } : void 0;
  if (kind !== "allow" && kind !== "deny" && kind !== "ask") {
    const name = FIELDS[kind]?.find(hasField);
    return name === void 0 ? void 0 : { [name]: content() };
  }
  if (row.gate === "none" || kind === "ask" && row.ask !== "asks") return void 0;
  return {
    ...row.gate === "continue" ? { continue: kind === "allow" } : { permission: kind },
    ...user === void 0 ? {} : { user_message: checkText(kind, user) },
    ...agent === void 0 || !hasField("agent_message") ? {} : { agent_message: checkText(kind, agent) }
  };
}
function plainFields(part, row) {
  if (!isPlain(part)) return void 0;
  const fields = { ...part };
  const unknown = Object.keys(fields).find((name) => !row.answer.includes(name));
  if (unknown !== void 0) throw new TypeError(`"${unknown}" is not a field of the response`);
  const { permission, continue: goesOn } = fields;
  if (permission !== void 0 && !["allow", "ask", "deny"].includes(permission))
    throw new TypeError(`"permission" is ${describe(permission)}; expected "allow", "ask" or "deny"`);
  if (goesOn !== void 0 && typeof goesOn !== "boolean")
    throw new TypeError(`"continue" is ${describe(goesOn)}; expected true or false`);
  return fields;
}
function isPlain(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
function checkText(kind, text) {
  if (typeof text === "string") return text;
  throw new TypeError(`${kind}() takes a string, not ${describe(text)}`);
}
function addOldNames(response, row, version) {
  const out = { ...response };
  if (version === void 0) {
    if ("user_message" in response) out.userMessage = response.user_message;
    if ("agent_message" in response) out.agentMessage = response.agent_message;
  } else if (row.decision?.includes(version) && response.permission !== void 0) {
    out.decision = response.permission;
    const reason = response.agent_message ?? response.user_message;
    if (reason !== void 0) out.reason = reason;
  }
  return out;
}
function describeAccepted(event, row) {
  const kinds = KINDS.filter((kind) => fieldsOf({ kind, text: "", value: {} }, row));
  return kinds.length > 0 ? `${event} accepts ${kinds.map((kind) => `${kind}()`).join(", ")}, or nothing` : `${event} accepts no response`;
}
function describe(value) {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null)
    return `an object (${value.constructor?.name ?? "no class"})`;
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : JSON.stringify(value) ?? String(value);
}

// ../../../../packages/hooks/src/sdk/program.ts
var MAX_BYTES = 1e6;
function createProgram(handlers, { onError = "deny" } = {}) {
  const mistake = findMistake(handlers, onError);
  const names2 = Object.keys(handlers ?? {});
  const unknown = names2.filter((name) => !isEvent(name));
  const canStop = mistake !== null || unknown.length > 0 || names2.some((name) => isEvent(name) && ROWS[name].gate !== "none");
  const fail = (problem, event, policy = onError) => {
    const gate = event ? ROWS[event].gate : canStop ? "any" : "none";
    if (policy === "allow" || gate === "none") return { response: {}, problem };
    const response = {
      ...gate === "continue" ? {} : { permission: "deny" },
      ...gate === "permission" ? {} : { continue: false },
      user_message: `Blocked, because a hook failed: ${problem}`
    };
    return { response, problem };
  };
  const respondTo = async (text) => {
    if (mistake !== null) return fail(mistake);
    const sent = parsePayload(text);
    if (typeof sent === "string") return fail(sent);
    const event = sent.hook_event_name;
    if (event === void 0) return fail('the payload has no "hook_event_name".');
    if (!isEvent(event)) return fail(`there is no event ${quote(event)}.`);
    const handler = handlers[event];
    if (typeof handler !== "function") {
      if (unknown.length > 0)
        return fail(`there is no event ${quote(unknown[0])}, and no handler for ${event}.`, event);
      const handled = names2.join(", ") || "no event";
      return { response: {}, problem: `this program has no handler for ${event}; it handles ${handled}.` };
    }
    const { payload, problems } = normalise(event, sent);
    if (problems.length > 0)
      return fail(`the payload of ${event} is incomplete: ${problems.join(", ")}.`, event);
    let result;
    try {
      result = await handler(payload);
    } catch (error) {
      return fail(`the handler for ${event} failed: ${describeError(error)}`, event);
    }
    try {
      const response = render(event, result, sent);
      const length = Buffer.byteLength(JSON.stringify(response));
      if (length > MAX_BYTES) throw new RangeError(`it has ${length} bytes; hosts read 1,048,576`);
      return { response, problem: null };
    } catch (error) {
      return fail(`the response to ${event} is invalid: ${describeError(error)}`, event, "deny");
    }
  };
  return { handlers, onError, respondTo, fail };
}
function findMistake(handlers, onError) {
  if (typeof handlers !== "object" || handlers === null) return "hook() takes an object of handlers.";
  if (onError === "deny" || onError === "allow") return null;
  return `onError is ${quote(onError)}; expected "deny" or "allow".`;
}
function parsePayload(text) {
  const json = text.charCodeAt(0) === 65279 ? text.slice(1) : text;
  if (json.trim() === "") return "the payload is empty; expected one JSON object on stdin.";
  try {
    const value = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    const type = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
    return `the payload is ${type}; expected one JSON object.`;
  } catch (error) {
    return `the payload is not JSON: ${describeError(error)}`;
  }
}
function describeError(error) {
  let text;
  try {
    text = error instanceof Error ? error.message || error.name : String(error);
  } catch {
    text = "an error without a message";
  }
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}\u2026` : line;
}
var quote = (value) => JSON.stringify(typeof value === "string" ? value.slice(0, 80) : value) ?? String(value);

// ../../../../packages/hooks/src/sdk/hook.ts
var TESTING = /* @__PURE__ */ Symbol.for("holdfast.testing");
function hook(handlers, options) {
  const program = createProgram(handlers, options);
  if (isTesting()) return program;
  const end = endOnce();
  process.once("uncaughtExceptionMonitor", (error) => {
    if (!isTesting()) end(program.fail(`the program failed: ${describeError(error)}`), error);
  });
  process.once("exit", () => {
    if (!isTesting() && !hasBlockCode()) end(program.fail("the program ended before it responded."));
  });
  setImmediate(() => {
    if (!isTesting()) void respond(program, end);
  });
  return program;
}
var BLOCK_EXIT = 2;
var hasBlockCode = () => Number(process.exitCode) === BLOCK_EXIT;
var isDeny = ({ permission, continue: goesOn }) => permission === "deny" || goesOn === false;
var isTesting = () => Boolean(globalThis[TESTING]);
function endOnce() {
  let hasEnded = false;
  return ({ response, problem }, error) => {
    if (hasEnded) return;
    hasEnded = true;
    if (problem !== null) write(2, `${problem}
`);
    if (error instanceof Error && process.env.HOLDFAST_DEBUG) write(2, `${error.stack}
`);
    const printed = problem === null ? response : { ...response, hook_error: problem };
    const isWritten = write(1, `${JSON.stringify(printed)}
`);
    const blocks = hasBlockCode() || !isWritten && isDeny(response);
    process.exit(blocks ? BLOCK_EXIT : isWritten ? 0 : 1);
  };
}
async function respond(program, end) {
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  Object.defineProperty(console, "_stdout", { configurable: true, get: () => process.stderr });
  try {
    end(await program.respondTo(await readStdin()));
  } catch (error) {
    end(program.fail(`stdin could not be read: ${describeError(error)}`), error);
  }
}
async function readStdin() {
  const chunks = [];
  let size = 65536;
  try {
    const stats = (0, import_node_fs.fstatSync)(0);
    if (stats.isFile()) size = Math.max(size, stats.size + 1);
    if (process.platform === "win32" && !stats.isFile()) return await readStream(chunks);
    for (; ; ) {
      const chunk = Buffer.allocUnsafe(size);
      const length = (0, import_node_fs.readSync)(0, chunk);
      if (length === 0) return Buffer.concat(chunks).toString("utf8");
      chunks.push(chunk.subarray(0, length));
    }
  } catch (error) {
    const { code } = error;
    if (code === "EOF") return Buffer.concat(chunks).toString("utf8");
    if (code !== "EAGAIN") throw error;
    return readStream(chunks);
  }
}
async function readStream(chunks) {
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
function write(fd, text) {
  let bytes = Buffer.from(text);
  const deadline = Date.now() + 5e3;
  while (bytes.length > 0 && Date.now() < deadline) {
    try {
      bytes = bytes.subarray((0, import_node_fs.writeSync)(fd, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") return false;
    }
  }
  return bytes.length === 0;
}

// ../../../../packages/hooks/src/sdk/workspace.ts
var import_node_fs2 = require("node:fs");
var import_node_os = require("node:os");
var import_node_path = require("node:path");
function workspacePath(payload, path) {
  const target = resolveLinks(absolute(payload, path));
  if (target === void 0) return (0, import_node_path.resolve)(absolute(payload, path));
  const root = rootOf(payload, target);
  return root === void 0 ? target : (0, import_node_path.relative)(root, target).split(import_node_path.sep).join("/") || ".";
}
var rootOf = ({ workspace_roots }, target) => workspace_roots.flatMap((root) => resolveLinks((0, import_node_path.resolve)(uriPath(root))) ?? []).filter((root) => {
  const path = (0, import_node_path.relative)(root, target);
  return path === "" || path !== ".." && !path.startsWith(`..${import_node_path.sep}`) && !(0, import_node_path.isAbsolute)(path);
}).sort((a, b) => b.length - a.length)[0];
function absolute({ workspace_roots, cwd }, path) {
  const base = (0, import_node_path.resolve)(uriPath(workspace_roots[0] ?? "."), uriPath(cwd ?? ""));
  const plain = uriPath(path).replace(/^~(?=[\\/]|$)/, () => (0, import_node_os.homedir)());
  return (0, import_node_path.isAbsolute)(plain) ? plain : `${base}${import_node_path.sep}${plain}`;
}
var MAX_LINKS = 40;
function resolveLinks(path) {
  const { root } = (0, import_node_path.parse)(path);
  let at = root;
  let links = 0;
  const ahead = partsOf(path.slice(root.length));
  while (ahead.length > 0) {
    const part = ahead.pop();
    if (part === "..") {
      at = (0, import_node_path.dirname)(at);
      continue;
    }
    const next = (0, import_node_path.join)(at, part);
    const link = linkAt(next);
    if (link === void 0) {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) return void 0;
    const { root: root2 } = (0, import_node_path.parse)(link);
    if (root2 !== "") at = (0, import_node_path.resolve)(at, root2);
    ahead.push(...partsOf(link.slice(root2.length)));
  }
  return at;
}
var partsOf = (path) => path.split(import_node_path.sep === "/" ? "/" : /[\\/]/).filter((part) => part !== "" && part !== ".").reverse();
function linkAt(path) {
  try {
    return (0, import_node_fs2.readlinkSync)(path);
  } catch {
    return void 0;
  }
}
var uriPath = (path) => process.platform === "win32" ? path.replace(/^\/([a-z]:)/i, "$1") : path;

// secret-content.ts
var SHAPES = [
  [/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/, "a private key"],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, "an AWS access key"],
  [/\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{40,}/, "a GitHub token"],
  [/\bglpat-[A-Za-z0-9_-]{20,}/, "a GitLab token"],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/, "a Slack token"],
  [/\b[rs]k_live_[A-Za-z0-9]{16,}/, "a Stripe key"],
  [/\bAIza[A-Za-z0-9_-]{35}\b/, "a Google API key"],
  [/\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/, "an API key of a model"],
  [/\bnpm_[A-Za-z0-9]{36}\b|_authToken=(?!\$\{)\S{8,}/, "an npm token"],
  [/\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/, "a signed token (JWT)"],
  [/\bAccountKey=[A-Za-z0-9+/]{40,}/, "an Azure storage key"]
];
var IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"`<>]{1,100}:([^\s:/@'"`<>]{3,200})@[\w.[-]/gi;
var NAMED = /(?:passwd|password|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w-]{0,40}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:(["'`])([^"'`\s]{8,200})\1|([^\s"'`,;)}\]#]{8,200})\s{0,100}$)/gi;
var LONGEST_LINE = 2e4;
function secretContent(text) {
  let line = 1;
  let start = 0;
  while (start <= text.length) {
    const end = text.indexOf("\n", start);
    const stop = end === -1 ? text.length : end;
    for (let from = start; from < stop || from === start; from += LONGEST_LINE - 500) {
      const found = secretIn(text.slice(from, Math.min(stop, from + LONGEST_LINE)).replace(/\r$/, ""));
      if (found) return `has ${found} in line ${line}`;
    }
    if (end === -1) return;
    start = end + 1;
    line++;
  }
}
function secretIn(line) {
  const shape = SHAPES.find(([pattern]) => /^(?!.*EXAMPLE)/.test(pattern.exec(line)?.[0] ?? "EXAMPLE"));
  if (shape) return shape[1];
  for (const [, password] of line.matchAll(IN_ADDRESS))
    if (isReal(password)) return "a password in an address";
  for (const [, , quoted, bare] of line.matchAll(NAMED)) {
    const value = quoted ?? bare;
    if (isReal(value) && looksRandom(value)) return "a password or key";
  }
}
var PLACEHOLDER = /^(?:\$|%|<|\{\{|\*+$|x+$|\.+$)|\$\{|\$\(|process\.env|os\.environ|getenv|secretKeyRef|^(?:your|change|replace|insert|example|dummy|fake|redacted|placeholder)|^(?:my|the|some|test|todo|none|null|undefined|true|false|secret|password|passwd|token)\b|[()[\]{}]/i;
var isReal = (value) => !PLACEHOLDER.test(value);
function looksRandom(value) {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && /[0-9]/.test(value) && bitsOf(value) >= 2.8;
}
function bitsOf(value) {
  const counts = /* @__PURE__ */ new Map();
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count / value.length * Math.log2(count / value.length);
  return bits;
}

// secret-names.ts
var HARMLESS = /(?:^|[._-])(?:example|sample|template|dist|defaults?|schema)(?:[._-]|$)|\.pub$/;
var SECRET = [
  [/\/\.env(?:\.[^/]*)?$|\/[^/]+\.env$/, "is an environment file"],
  [/\/\.envrc$/, "is an environment file"],
  [/\/id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/, "is a private key"],
  [/\/\.ssh\/(?!(?:config|known_hosts|authorized_keys)(?:\.old)?$)[^/]+$/, "is a private key"],
  [/\.(?:key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/, "is a key or a store of keys"],
  [
    /\/(?:\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.pypirc|\.htpasswd|\.vault-token)$/,
    "holds passwords"
  ],
  [
    /\/\.aws\/(?:credentials|sso\/.*)$|\/\.azure\/.*token.*$|\/gcloud\/.*credentials.*$/,
    "holds cloud credentials"
  ],
  [/\/\.docker\/config\.json$|\/\.kube\/config$|\/kubeconfig$/, "holds the keys of a cluster or registry"],
  [
    /\/(?:client_secret|service[_-]?account|credentials?|secrets?)[^/]*\.(?:json|ya?ml|toml|ini|txt|xml|properties)$/,
    "holds credentials"
  ],
  [/\.tfstate(?:\.[^/]*)?$|\.tfvars(?:\.json)?$/, "holds values of an infrastructure"],
  [/^\/proc\/[^/]+\/environ$|^\/etc\/(?:shadow|gshadow|sudoers)/, "belongs to the system"]
];
function secretName(paths) {
  for (const path of paths) {
    const name = `/${path.replaceAll("\\", "/").toLowerCase()}`.replace(/^\/+/, "/");
    const found = SECRET.find(([pattern]) => pattern.test(name));
    if (found && !HARMLESS.test(name.slice(name.lastIndexOf("/") + 1))) return found[1];
  }
}

// redact-secrets.ts
function judge(read) {
  const content = read.content || contentOf(resolved(read, read.file_path));
  const trouble = secretName(names(read, read.file_path)) ?? secretContent(content);
  if (trouble) return refused(workspacePath(read, read.file_path), trouble);
  for (const path of attached(read)) {
    const trouble2 = secretName(names(read, path)) ?? secretContent(contentOf(resolved(read, path)));
    if (trouble2) return refused(`the attachment ${workspacePath(read, path)}`, trouble2);
  }
}
var refused = (what, trouble) => deny(`Not read: ${what} ${trouble}. Move the secret out of the file, or read it yourself.`, {
  agent: `${what} stays on this machine: it ${trouble}. Do not read it in another way. Work with the names of its settings, or ask the user for what you need.`
});
var resolved = ({ workspace_roots }, path) => (0, import_node_path2.resolve)(workspace_roots[0] ?? ".", path);
function names(read, path) {
  const file = resolved(read, path);
  try {
    return [file, (0, import_node_fs3.realpathSync)(file)];
  } catch {
    return [file];
  }
}
var attached = ({ attachments = [] }) => attachments.flatMap((item) => {
  const path = item?.file_path;
  return typeof path === "string" && (0, import_node_path2.basename)(path) !== "" ? [path] : [];
});
function contentOf(file) {
  let fd;
  try {
    fd = (0, import_node_fs3.openSync)(file, "r");
    const buffer = Buffer.alloc(1024 * 1024);
    return buffer.toString("utf8", 0, (0, import_node_fs3.readSync)(fd, buffer, 0, buffer.length, 0));
  } catch {
    return "";
  } finally {
    if (fd !== void 0) (0, import_node_fs3.closeSync)(fd);
  }
}
var redact_secrets_default = hook({ beforeReadFile: judge, beforeTabFileRead: judge });
