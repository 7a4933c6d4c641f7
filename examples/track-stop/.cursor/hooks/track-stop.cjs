#!/usr/bin/env node
// holdfast-sdk 0.1.0; made from track-stop.ts by "holdfast build": change that and build again. sources 6b9a75736571cbb9 code d179ab03943a4b44
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

// track-stop.ts
var track_stop_exports = {};
__export(track_stop_exports, {
  default: () => track_stop_default
});
module.exports = __toCommonJS(track_stop_exports);

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
var followup = (text) => make({ kind: "followup", text });

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

// ../../../../packages/hooks/src/sdk/state.ts
var import_node_crypto = require("node:crypto");
var import_node_fs4 = require("node:fs");
var import_node_os2 = require("node:os");
var import_node_path2 = require("node:path");

// ../../../../packages/hooks/src/lock.ts
var import_node_fs3 = require("node:fs");
var import_node_os = require("node:os");
var import_node_path = require("node:path");

// ../../../../packages/hooks/src/config/file.ts
var import_node_buffer = require("node:buffer");
var import_node_fs2 = require("node:fs");
function readFile(path, limit, follow = "links") {
  try {
    const stat = follow === "links" ? import_node_fs2.statSync : import_node_fs2.lstatSync;
    const before = stat(path, { bigint: true, throwIfNoEntry: false });
    rememberReading(path, before);
    if (!before) return { kind: "absent" };
    if (!before.isFile()) return { kind: "not-a-file", reason: kindOf(before) };
    if (before.size > limit) return { kind: "too-large", stats: before };
    const links = follow === "links" ? 0 : import_node_fs2.constants.O_NOFOLLOW ?? 0;
    const fd = (0, import_node_fs2.openSync)(path, import_node_fs2.constants.O_RDONLY | (import_node_fs2.constants.O_NONBLOCK ?? 0) | links);
    try {
      const stats = (0, import_node_fs2.fstatSync)(fd, { bigint: true });
      rememberReading(path, stats);
      if (!stats.isFile()) return { kind: "not-a-file", reason: kindOf(stats) };
      const bytes = readUpTo(fd, Number(stats.size), limit);
      return bytes ? { kind: "read", bytes, stats } : { kind: "too-large", stats };
    } finally {
      (0, import_node_fs2.closeSync)(fd);
    }
  } catch (error) {
    const { code = "" } = error;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    const isFile = !["ELOOP", "EMLINK", "ENXIO", "EISDIR"].includes(code);
    return { kind: isFile ? "unreadable" : "not-a-file", reason: reasonOf(error) };
  }
}
function readUpTo(fd, expected, limit) {
  let buffer = Buffer.allocUnsafe(Math.min(expected, limit) + 1);
  let length = 0;
  for (; ; ) {
    const count2 = (0, import_node_fs2.readSync)(fd, buffer, length, buffer.length - length, null);
    if (count2 === 0) return buffer.subarray(0, length);
    length += count2;
    if (length > limit) return void 0;
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length + 1024)]);
  }
}
function reasonOf(error) {
  const { code, message } = error;
  return code === void 0 ? message : REASONS[code] ?? code;
}
var REASONS = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ELOOP: "its links go round in a circle",
  ENAMETOOLONG: "its name is too long",
  EIO: "the disk reports an error",
  EMFILE: "too many files are open"
};
function kindOf(stats) {
  if (stats.isDirectory()) return "it is a folder";
  if (stats.isSymbolicLink()) return "it is a link";
  if (stats.isFIFO()) return "it is a pipe";
  return stats.isSocket() ? "it is a socket" : "it is a device";
}
function decode(bytes) {
  if (!(0, import_node_buffer.isUtf8)(bytes)) {
    const wide = bytes[0] === 255 && bytes[1] === 254 || bytes[0] === 254 && bytes[1] === 255;
    return { ok: false, reason: wide ? "The file is UTF-16, not UTF-8." : "The file is not UTF-8 text." };
  }
  const bom = bytes[0] === 239 && bytes[1] === 187 && bytes[2] === 191;
  return { ok: true, text: bytes.toString("utf8", bom ? 3 : 0), bom };
}
function readText(path, limit) {
  const result = readFile(path, limit);
  const decoded = result.kind === "read" ? decode(result.bytes) : void 0;
  return decoded?.ok ? decoded.text : void 0;
}
var NO_FILE = "absent";
var stampOf = (stats) => `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`;
var statWith = (stat) => (path) => {
  try {
    return stat(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return void 0;
  }
};
var statOf = statWith(import_node_fs2.statSync);
var lstatOf = statWith(import_node_fs2.lstatSync);
var whenRead = /* @__PURE__ */ new Map();
var MOST_READINGS = 2e4;
var rememberStamp = (path, stamp) => {
  whenRead.delete(path);
  whenRead.set(path, stamp);
  if (whenRead.size > MOST_READINGS) whenRead.delete(whenRead.keys().next().value);
};
var rememberReading = (path, stats) => rememberStamp(path, stats ? stampOf(stats) : NO_FILE);
function listFolder(path) {
  try {
    return (0, import_node_fs2.readdirSync)(path);
  } catch {
    return [];
  }
}

// ../../../../packages/hooks/src/protocol/clock.ts
var clockMs = () => process.uptime() * 1e3;

// ../../../../packages/hooks/src/lock.ts
var STALE_MS = 2e4;
var TOUCH_MS = 1e3;
var LONGEST_WAIT_MS = 1e4;
var UNFINISHED = ".new-";
var AROUND = {
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
  unique: () => `${process.pid}-${process.hrtime.bigint().toString(36)}`
};
async function rewrite(file, make2) {
  (0, import_node_fs3.mkdirSync)((0, import_node_path.dirname)(file), { recursive: true, mode: 448 });
  const lockFile = `${file}.lock`;
  const held = await lock(lockFile);
  if (!held) throw new Error(`${lockFile} is held by another process. Try again, or remove it.`);
  const half = `${lockFile}${UNFINISHED}${AROUND.unique()}`;
  try {
    (0, import_node_fs3.writeFileSync)(half, await make2(), { mode: 384, flag: "wx" });
    if (!held.isMine()) throw new Error(`${lockFile} was taken over by another process. Try again.`);
    (0, import_node_fs3.renameSync)(half, file);
  } finally {
    (0, import_node_fs3.rmSync)(half, { force: true });
    held.release();
  }
}
async function lock(file, { sleep, random, unique } = AROUND, patienceMs = LONGEST_WAIT_MS) {
  const until = clockMs() + patienceMs;
  for (; ; ) {
    const held = tryLock(file, unique);
    if (held || clockMs() > until) return held;
    await sleep(10 + random() * 40);
  }
}
function tryLock(file, unique = AROUND.unique) {
  const held = take(file, unique());
  if (held || !isDead(file)) return held;
  takeAway(file, unique());
  return take(file, unique());
}
function take(file, token) {
  if (!place(file, JSON.stringify({ pid: process.pid, host: (0, import_node_os.hostname)(), token }), token)) return void 0;
  removeTemporary(file);
  const alive = setInterval(() => touch(file), TOUCH_MS).unref();
  const isMine = () => holderOf(file).token === token;
  return {
    isMine,
    release() {
      clearInterval(alive);
      if (isMine()) (0, import_node_fs3.rmSync)(file, { force: true });
    }
  };
}
function holderOf(file) {
  try {
    return JSON.parse(readText(file, 4096) ?? "") ?? {};
  } catch {
    return {};
  }
}
function place(file, content, token) {
  const half = `${file}${UNFINISHED}${token}`;
  (0, import_node_fs3.writeFileSync)(half, content, { flag: "wx", mode: 384 });
  try {
    (0, import_node_fs3.linkSync)(half, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOENT") return false;
    if (!NO_LINKS.has(codeOf(error))) throw error;
    return placePlainly(file, content);
  } finally {
    (0, import_node_fs3.rmSync)(half, { force: true });
  }
}
var NO_LINKS = /* @__PURE__ */ new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
function placePlainly(file, content) {
  try {
    (0, import_node_fs3.writeFileSync)(file, content, { flag: "wx", mode: 384 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
var codeOf = (error) => error.code;
function touch(file) {
  try {
    (0, import_node_fs3.utimesSync)(file, /* @__PURE__ */ new Date(), /* @__PURE__ */ new Date());
  } catch {
  }
}
function isDead(file) {
  const stats = (0, import_node_fs3.lstatSync)(file, { throwIfNoEntry: false });
  if (!stats) return false;
  if (Date.now() - stats.mtimeMs > STALE_MS) return true;
  const { pid, host } = holderOf(file);
  if (host !== (0, import_node_os.hostname)() || typeof pid !== "number") return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}
function takeAway(file, token) {
  const away = `${file}.${token}`;
  try {
    (0, import_node_fs3.renameSync)(file, away);
    if (!isDead(away)) (0, import_node_fs3.linkSync)(away, file);
  } catch {
  }
  (0, import_node_fs3.rmSync)(away, { force: true, recursive: true });
}
function removeTemporary(file) {
  for (const name of listFolder((0, import_node_path.dirname)(file))) {
    const path = (0, import_node_path.join)((0, import_node_path.dirname)(file), name);
    const isOurs = path.startsWith(`${file}.`);
    if (isOurs && (path.startsWith(`${file}${UNFINISHED}`) || isDead(path)))
      (0, import_node_fs3.rmSync)(path, { force: true, recursive: true });
  }
}

// ../../../../packages/hooks/src/sdk/state.ts
function conversationState(payload, name, initial) {
  if (!/^[\w.-]{1,80}$/.test(name) || /^\.+$/.test(name)) {
    throw new TypeError(`"${name}" is not a name of a state; use letters, digits, "-", "_" and "."`);
  }
  const base = process.env.HOLDFAST_STATE || (0, import_node_path2.join)((0, import_node_os2.homedir)(), ".holdfast", "state");
  const file = (0, import_node_path2.join)(base, hash(payload.conversation_id ?? ""), `${name}.json`);
  const read = () => readOr(file, initial);
  return {
    file,
    read,
    async update(change) {
      let value = initial;
      await rewrite(file, async () => {
        value = await change(read());
        return `${JSON.stringify(value)}
`;
      });
      return value;
    }
  };
}
var hash = (text) => (0, import_node_crypto.createHash)("sha256").update(text).digest("hex").slice(0, 32);
function readOr(file, initial) {
  try {
    return JSON.parse((0, import_node_fs4.readFileSync)(file, "utf8"));
  } catch {
    return structuredClone(initial);
  }
}

// tally.ts
var NOTHING = { failures: 0, open: [], retries: 0 };
var MOST = 20;
var LONGEST = 200;
function failed(tally, { what, how, from }) {
  const failure = { what: short(what), how, from };
  const other = from === "both" ? void 0 : tally.open.find((known) => isOtherHalf(known, failure));
  if (other) {
    const whole = { ...other, from: "both" };
    return { ...tally, open: tally.open.map((known) => known === other ? whole : known) };
  }
  return { ...tally, failures: tally.failures + 1, open: [...tally.open, failure].slice(-MOST) };
}
var worked = (tally, what) => ({
  ...tally,
  open: tally.open.filter((failure) => failure.what !== short(what))
});
function tallyFrom(value) {
  const { failures, open, retries } = value ?? {};
  return {
    failures: Number(failures) || 0,
    open: Array.isArray(open) ? open.filter((failure) => typeof failure?.what === "string") : [],
    retries: Number(retries) || 0
  };
}
var isOtherHalf = (known, { what, from }) => known.what === what && known.from !== "both" && known.from !== from;
var short = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line;
};

// telemetry.ts
var LIMIT_MS = 1500;
async function send(summary) {
  const address = process.env.AGENT_TELEMETRY_URL;
  if (!address) return;
  try {
    const { protocol } = new URL(address);
    if (protocol !== "http:" && protocol !== "https:") throw new Error("it is not an http address");
    const { ok, status } = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(summary),
      // The data is meant for this address only, so redirects are not followed.
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS)
    });
    if (!ok) throw new Error(`it answered ${status}`);
  } catch (error) {
    const { message, cause } = error;
    const reason = cause instanceof Error ? cause.message : message;
    console.error(`The report to AGENT_TELEMETRY_URL failed: ${reason}.`);
  }
}

// track-stop.ts
var ENOUGH = 2;
var ROUNDS = 5;
var count = (payload, change) => conversationState(payload, "track-stop", NOTHING).update((old) => change(tallyFrom(old)));
var track_stop_default = hook({
  postToolUseFailure: async (payload) => {
    const { tool_name, tool_input, failure_type: how, is_interrupt } = payload;
    if (is_interrupt || how === "permission_denied") return;
    const isShell = tool_name === "Shell" && typeof tool_input.command === "string";
    await count(
      payload,
      (old) => failed(old, {
        what: isShell ? String(tool_input.command) : tool_name,
        how,
        from: isShell && how === "error" ? "tool" : "both"
      })
    );
  },
  afterShellExecution: async (payload) => {
    const { command, exit_code } = payload;
    if (exit_code === void 0) return;
    await count(
      payload,
      (old) => exit_code === 0 ? worked(old, command) : failed(old, { what: command, how: `exit ${exit_code}`, from: "shell" })
    );
  },
  stop: async (payload) => {
    const { status, loop_count } = payload;
    let broken = [];
    const { failures, retries } = await count(payload, (old) => {
      const now = status === "error" ? failed(old, { what: "the agent", how: status, from: "both" }) : old;
      if (status === "aborted" || loop_count >= ROUNDS || now.open.length < ENOUGH) return now;
      broken = now.open;
      return { ...now, open: [], retries: now.retries + 1 };
    });
    await send({
      event: payload.hook_event_name,
      at: (/* @__PURE__ */ new Date()).toISOString(),
      conversation_id: payload.conversation_id,
      generation_id: payload.generation_id,
      model: payload.model,
      status,
      loop_count,
      failures,
      retries,
      retrying: broken.length > 0
    });
    return broken.length > 0 ? followup(words(broken)) : void 0;
  }
});
var words = (broken) => [
  `${broken.length} failures are still open:`,
  ...broken.map(({ what, how }) => `- ${what} (${how})`),
  "Find out why, try another way, and run them again. If one cannot be fixed, say why."
].join("\n");
