#!/usr/bin/env node
// holdfast-sdk 0.1.0; made from mcp-database-gate.ts by "holdfast build": change that and build again. sources d9f961e668b2e80d code abe7047bd1ec3097
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

// mcp-database-gate.ts
var mcp_database_gate_exports = {};
__export(mcp_database_gate_exports, {
  default: () => mcp_database_gate_default
});
module.exports = __toCommonJS(mcp_database_gate_exports);

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
  const names = Object.keys(handlers ?? {});
  const unknown = names.filter((name) => !isEvent(name));
  const canStop = mistake !== null || unknown.length > 0 || names.some((name) => isEvent(name) && ROWS[name].gate !== "none");
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
      const handled = names.join(", ") || "no event";
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

// dialects.ts
var DIALECTS = [
  // SQLite
  { brackets: true },
  // SQL Server
  { brackets: true, nested: true },
  // PostgreSQL, and its older string rules
  { nested: true, dollar: true },
  { nested: true, dollar: true, backslash: true },
  // MySQL and MariaDB, also with NO_BACKSLASH_ESCAPES
  { backslash: true, hash: true, runsComments: true, dashesNeedBlank: true },
  { hash: true, runsComments: true, dashesNeedBlank: true },
  // Oracle
  { ownQuotes: true },
  // Snowflake
  { backslash: true, dollar: true, slashes: true },
  // BigQuery
  { backslash: true, hash: true, triple: true },
  // ClickHouse
  { backslash: true, hash: true, dollar: true, nested: true }
];

// tokens.ts
var WORD = /[\p{L}_@][\p{L}\p{N}_$@]*/uy;
var NUMBER = /\d+/y;
var DOLLAR = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
var LINE_END = /[\r\n]|$/g;
var COMMENT_MARK = /\/\*|\*\//g;
var RUN_COMMENT = /\/\*M?!\d*/y;
var PAIRS = { "[": "]", "(": ")", "{": "}", "<": ">" };
function read(sql, dialect) {
  const statements = [];
  let now = { words: [], strings: [] };
  let isWhole = true;
  let at = 0;
  const matchAt = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  const skipPast = (end, from) => {
    const found = sql.indexOf(end, from);
    if (found < 0) isWhole = false;
    at = found < 0 ? sql.length : found + end.length;
    return sql.slice(from, found < 0 ? void 0 : found);
  };
  const skipLine = () => {
    LINE_END.lastIndex = at;
    at = LINE_END.exec(sql).index;
  };
  const skipComment = () => {
    const run = dialect.runsComments && matchAt(RUN_COMMENT);
    if (run) {
      at += run.length;
      return;
    }
    if (!dialect.nested) {
      skipPast("*/", at + 2);
      return;
    }
    let depth = 0;
    COMMENT_MARK.lastIndex = at;
    for (let mark = COMMENT_MARK.exec(sql); mark; mark = COMMENT_MARK.exec(sql)) {
      depth += mark[0] === "/*" ? 1 : -1;
      if (depth > 0) continue;
      at = COMMENT_MARK.lastIndex;
      return;
    }
    isWhole = false;
    at = sql.length;
  };
  const takeString = (text) => {
    now.strings.push(text);
    now.words.push("''");
  };
  const takeQuoted = (quote2) => {
    const prefix = /\w$/.test(sql[at - 1] ?? "") ? now.words.at(-1) : void 0;
    if (dialect.triple && sql.startsWith(quote2.repeat(3), at))
      return takeString(skipPast(quote2.repeat(3), at + 3));
    if (dialect.ownQuotes && quote2 === "'" && /^n?q$/.test(prefix ?? "")) {
      const mark = sql[at + 1] ?? "";
      return takeString(skipPast(`${PAIRS[mark] ?? mark}'`, at + 2));
    }
    const hasEscapes = prefix === "e" || dialect.backslash && !(dialect.triple && prefix === "r");
    let text = "";
    for (at++; at < sql.length; at++) {
      if (hasEscapes && quote2 !== "`" && sql[at] === "\\") text += sql[++at] ?? "";
      else if (sql[at] !== quote2) text += sql[at];
      else if (sql[at + 1] === quote2) text += sql[at++];
      else break;
    }
    if (at >= sql.length) isWhole = false;
    at++;
    if (quote2 === "'" || quote2 === '"' && dialect.backslash) takeString(text);
    else now.words.push('""');
  };
  while (at < sql.length) {
    const sign = sql[at];
    const two = sql.slice(at, at + 2);
    const dollar = dialect.dollar && sign === "$" ? matchAt(DOLLAR) : void 0;
    if (/\s/.test(sign)) at++;
    else if (two === "--" && (!dialect.dashesNeedBlank || /^\s?$/.test(sql.slice(at + 2, at + 3)))) skipLine();
    else if (sign === "#" && dialect.hash) skipLine();
    else if (two === "//" && dialect.slashes) skipLine();
    else if (two === "/*") skipComment();
    else if (two === "*/" && dialect.runsComments) at += 2;
    else if (dollar !== void 0) takeString(skipPast(dollar, at + dollar.length));
    else if (sign === "'" || sign === '"' || sign === "`") takeQuoted(sign);
    else if (sign === "[" && dialect.brackets) {
      skipPast("]", at + 1);
      now.words.push('""');
    } else if (sign === ";") {
      statements.push(now);
      now = { words: [], strings: [] };
      at++;
    } else {
      const word = matchAt(WORD) ?? matchAt(NUMBER) ?? sign;
      now.words.push(word.toLowerCase());
      at += word.length;
    }
  }
  statements.push(now);
  return { statements: statements.filter(({ words: words2 }) => words2.length > 0), isWhole };
}

// judge.ts
var words = (text) => new Set(text.split(" "));
var READS = words(
  "select with values table show describe desc explain use begin start commit rollback end savepoint release"
);
var DESTROYS = words("drop truncate alter grant revoke rename");
var WRITES = words("insert update delete merge replace upsert create call exec execute copy into lock");
var RUNS_STRINGS = words("do exec execute prepare create call");
var FUNCTIONS = /^(?:dblink\w*|query_to_xml\w*|lo_\w+|pg_(?:terminate|cancel|reload|rotate|switch|write|read|ls|file|promote)\w*|nextval|setval|set_config|load_extension|load_file|writefile|xp_\w+|sp_\w+|openrowset|openquery|sys_exec|sys_eval)$/;
var HARMLESS = { kind: "read", why: "" };
var DEEPEST = 5;
var judged = /* @__PURE__ */ new Map();
function judge(sql, depth = 0) {
  const key = `${depth} ${sql}`;
  const known = judged.get(key) ?? judgeUncached(sql, depth);
  judged.set(key, known);
  return known;
}
function judgeUncached(sql, depth) {
  if (depth > DEEPEST) return { kind: "denied", why: "it is code inside code, too deep to read" };
  const readings = DIALECTS.map((dialect) => read(sql, dialect));
  if (!readings.some(({ isWhole }) => isWhole))
    return { kind: "denied", why: "a string or a comment in the SQL does not end" };
  return strictest(readings.flatMap(({ statements }) => statements.map((one) => judgeOne(one, depth))));
}
var looksLikeSql = (text) => read(text, DIALECTS[0]).statements.some(({ words: [first = "", ...more] }) => {
  const verb = first === "(" ? more[0] ?? "" : first;
  return more.length > 0 && [READS, DESTROYS, WRITES, RUNS_STRINGS].some((verbs) => verbs.has(verb));
});
function judgeOne({ words: words2, strings }, depth) {
  const verbs = words2.filter((word, at) => !isName(words2, word, at));
  const destroys = verbs.find((word) => DESTROYS.has(word));
  if (destroys) return { kind: "denied", why: `${destroys.toUpperCase()} is not run from here` };
  if (verbs.includes("copy") && verbs.includes("program"))
    return { kind: "denied", why: "COPY ... PROGRAM runs a program on the server" };
  const inside = verbs.some((word) => RUNS_STRINGS.has(word)) ? judgeStrings(strings, depth + 1) : HARMLESS;
  if (inside.kind === "denied") return inside;
  const writes = verbs.find((word, at) => WRITES.has(word) && !isLock(verbs, at));
  if (writes) return { kind: "write", why: `${writes.toUpperCase()}${everywhere(writes, verbs)}` };
  const calls = words2.find((word, at) => words2[at + 1] === "(" && FUNCTIONS.test(word));
  if (calls) return { kind: "write", why: `it calls ${calls}()` };
  const first = words2.find((word) => word !== "(") ?? "";
  return READS.has(first) ? inside : { kind: "write", why: `"${first.slice(0, 40)}" is not known as a read` };
}
var judgeStrings = (strings, depth) => strictest(
  [...strings, strings.join("")].filter((text) => /\w\W+\w/.test(text)).map((text) => judge(text, depth))
);
var isName = (words2, word, at) => {
  const before = words2[at - 1];
  if (before === ".") return !/^\d/.test(words2[at - 2] ?? "");
  return before === ":" || words2[at + 1] === "(" && !TAKES_BRACKET.has(word);
};
var TAKES_BRACKET = words("exec execute into copy");
var isLock = (verbs, at) => verbs[at] === "update" && (verbs[at - 1] === "for" || verbs[at - 1] === "key" && verbs[at - 2] === "no");
var everywhere = (verb, verbs) => (verb === "delete" || verb === "update") && !verbs.includes("where") ? " without a WHERE" : "";
var ORDER = ["read", "write", "denied"];
var strictest = (all) => all.reduce((a, b) => ORDER.indexOf(b.kind) > ORDER.indexOf(a.kind) ? b : a, HARMLESS);

// arguments.ts
var SQL_NAME = /sql|^(?:queries|query|statements?|scripts?|commands?|batch|q)$/i;
var SURELY_SQL = /sql|^statements?$/i;
var BOUND = /^(?:params|parameters|values|args|arguments|bind|binds|bindings)$/i;
function readArguments(text) {
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError("they are not an object");
  return value;
}
function sqlIn(input, isDatabase) {
  const name = isDatabase ? SQL_NAME : SURELY_SQL;
  const found = [];
  const visit = (value, kind) => {
    if (typeof value === "string") {
      const inner = nested(value);
      if (inner !== void 0) visit(inner, kind);
      else if (kind === "sql" || kind === "other" && isDatabase && looksLikeSql(value)) found.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) visit(item, kind);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        visit(item, name.test(key) ? "sql" : BOUND.test(key) ? "bound" : kind);
    }
  };
  visit(input, "other");
  return found;
}
function nested(text) {
  if (!/^\s*[{[]/.test(text)) return void 0;
  try {
    JSON.parse(text);
  } catch {
    return void 0;
  }
  return parse(text);
}
function parse(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TypeError("they are not JSON");
  }
  const named = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length;
  if (named !== countNames(value)) throw new TypeError("a name stands in them twice");
  return value;
}
function countNames(value) {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce((sum, item) => sum + countNames(item), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

// mcp-database-gate.ts
var DATABASE = /sql|postgres|maria|oracle|duckdb|clickhouse|snowflake|bigquery|supabase|neon|database|(?<![a-z])db(?![a-z])/i;
var LOOKS = /^(?:list|describe|show|get|read|explain|inspect|search)(?![a-z])/i;
var mcp_database_gate_default = hook({
  beforeMCPExecution: (payload) => {
    const { tool_name: tool, mcp_server_name = "", url = "", command = "" } = payload;
    let texts;
    const isDatabase = [tool, mcp_server_name, url, command].some((text) => DATABASE.test(text));
    try {
      texts = sqlIn(readArguments(payload.tool_input), isDatabase);
    } catch (error) {
      return denied(`the arguments of ${tool} cannot be read: ${error.message}`);
    }
    if (texts.length === 0 && isDatabase && !LOOKS.test(tool)) {
      return ask(`${tool} goes to a database, and there is no SQL in its arguments to look at. Go on?`);
    }
    const { kind, why } = strictest(texts.map((text) => judge(text)));
    if (kind === "denied") return denied(why);
    if (kind === "write") return ask(`This may change the database: ${why}. Run it?`);
  }
});
var denied = (why) => deny(`The database call was stopped: ${why}.`, {
  agent: `Stopped: ${why}. Do not rephrase it and try again. Show the user the statement; they can run it themselves.`
});
