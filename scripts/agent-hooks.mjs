// Runs the public vectors of AGENT-HOOKS 0.1 against the engine: node scripts/agent-hooks.mjs <folder> [--json]
// The folder is `conformance/vectors` of that project, or one that contains it as `vectors`. Each vector is a small
// agent: a script for its model, its tools and its interceptors. Cases that our events cannot express are left out, and
// listed: points around the model and the final output, identities, and the fields of composition and approval in
// records. Exits with 1 when a vector within our events fails.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { HookBlockedError, openHooks } from '../packages/hooks/dist/index.js'

/** Why a vector is beyond our events; by the number in its id. */
const BEYOND = {
  'identities, evidence and the fields of an approval': [
    '072',
    '090',
    '091',
    '092',
    '095',
    '096',
    '098',
    '099',
    '103',
  ],
  'other ways to compose several interceptors': ['060', '085', '086', '087', '088'],
  'mediation of a stream piece by piece': ['110', '111', '112', '113'],
  'a deny after the tool ran, or of the final output': ['012', '100'],
  'a deny because no hook is registered': ['061', '101'],
}

const POINTS = {
  agent_startup: 'sessionStart',
  input: 'beforeSubmitPrompt',
  pre_tool_call: 'preToolUse',
  post_tool_call: 'postToolUse',
  agent_shutdown: 'sessionEnd',
}

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true })
const [given] = positionals
if (given === undefined) {
  console.error('Name the folder of the vectors: node scripts/agent-hooks.mjs <folder>')
  process.exit(1)
}
const folder = existsSync(join(given, 'vectors')) ? join(given, 'vectors') : given
const files = readdirSync(folder).filter(name => /^AH-CTK-\d+.*\.json$/.test(name))
if (files.length === 0) {
  console.error(`${folder} contains no vectors (AH-CTK-*.json).`)
  process.exit(1)
}

const results = []
for (const file of files.toSorted()) {
  const vector = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  const number = vector.id.split('-').at(-1)
  const beyond = Object.keys(BEYOND).find(reason => BEYOND[reason].includes(number))
  const failures = beyond === undefined ? await run(vector).catch(error => [error.stack]) : []
  const status = beyond === undefined ? (failures.length === 0 ? 'passed' : 'failed') : 'not covered'
  results.push({
    id: vector.id,
    title: vector.title,
    status,
    ...(beyond ? { reason: beyond } : {}),
    failures,
  })
}
if (values.json) console.log(JSON.stringify(results, null, 2))
else for (const line of report()) console.log(line)
process.exitCode = results.some(({ status }) => status === 'failed') ? 1 : 0

function* report() {
  for (const { id, title, status, reason, failures } of results) {
    yield `${status.padEnd(12)} ${id}  ${reason ?? title}`
    for (const failure of failures) yield `             ${failure}`
  }
  const count = status => results.filter(each => each.status === status).length
  yield `${count('passed')} passed, ${count('failed')} failed, ${count('not covered')} not covered, of ${results.length}`
}

async function run(vector) {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-agent-hooks-'))
  const recorded = []
  const approvals = [...(vector.approval_script ?? [])]
  const onAsk = () => resolved(approvals.length > 1 ? approvals.shift() : approvals[0])
  const hooks = await openHooks({
    home,
    workspaceRoots: [],
    enterpriseDir: join(home, 'none'),
    watch: false,
    log: { file: null },
    ...(approvals.length > 0 ? { onAsk } : {}),
  })
  const scripts = vector.interceptor_scripts ?? [vector.interceptor_script ?? []]
  // Our engine judges a rewritten call again. In this composition each interceptor sees the first input only.
  const once = vector.composition?.profile.startsWith('parallel/') ? new Set() : undefined
  const isRepeated = (index, point, { tool_use_id: id }) => {
    const key = `${index} ${point} ${id}`
    return once !== undefined && id !== undefined && (once.has(key) || !once.add(key))
  }
  try {
    for (const [index, script] of scripts.entries()) {
      for (const [point, event] of Object.entries(POINTS)) {
        hooks.register({
          event,
          name: `interceptor-${index}`,
          failClosed: true,
          run: payload =>
            isRepeated(index, point, payload)
              ? {}
              : intercept(script, point, contextOf(point, payload), index === 0 ? recorded : undefined),
        })
      }
    }
    return compare(vector.expect, await runAgent(hooks, vector), recorded)
  } finally {
    hooks.close()
    rmSync(home, { recursive: true, force: true })
  }
}

// ——— the agent of a vector ———

async function runAgent(hooks, { scenario, mode }) {
  const invocations = []
  const model = [...(scenario.model_script ?? [])]
  const audits = mode === 'evaluate_only'
  // In that mode a verdict is known and not enforced, which is what `fire` is for.
  const gate = (session, event, fields) =>
    audits ? session.fire(event, fields).then(() => fields) : session.guard(event, fields)
  let session
  let output = null
  try {
    session = await hooks.startSession()
    await gate(session, 'beforeSubmitPrompt', { prompt: scenario.input.content, attachments: [] })
    for (;;) {
      const { respond } = model.shift() ?? { respond: { content: null, tool_calls: [] } }
      if (respond.tool_calls.length === 0) {
        output = respond.content
        break
      }
      for (const call of respond.tool_calls) await callTool(session, gate, scenario, call, invocations)
    }
    await session.end({ reason: 'completed' })
    return { outcome: 'completed', output, invocations }
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    await (session ?? hooks.resumeSession()).end({ reason: 'error' })
    return { outcome: 'blocked', output: null, invocations }
  }
}

async function callTool(session, gate, scenario, { id, name, args }, invocations) {
  const fields = { tool_name: name, tool_input: args, tool_use_id: id, cwd: '/' }
  let input
  try {
    input = structuredClone((await gate(session, 'preToolUse', fields)).tool_input)
  } catch {
    // Denied, or the user could not be asked: the model reads that, and goes on.
    return session.settled()
  }
  invocations.push({ name, args: input })
  const { behavior } = scenario.tools.find(tool => tool.name === name)
  const clause = behavior.find(each => !each.when_args || isDeepStrictEqual(each.when_args, input))
  const tool_output = JSON.stringify({ value: clause.return, is_error: clause.is_error === true })
  await session.fire('postToolUse', { ...fields, tool_input: input, tool_output, duration: 1 })
}

// ——— the interceptors of a vector, as hooks ———

function intercept(script, point, context, recorded) {
  recorded?.push({ point, context: structuredClone(context) })
  const rule = script.find(
    ({ at, match = {} }) =>
      at === point &&
      Object.entries(match).every(([path, value]) => isDeepStrictEqual(valueAt(context, path), value)),
  )
  if (!rule) return {}
  if (rule.fault === 'mutate') {
    context.tool_call.args.url = 'mutated'
    return {}
  }
  if (rule.fault) throw new Error(`fault: ${rule.fault}`)
  return responseOf(point, context, rule.return)
}

function responseOf(point, context, { decision, reason = '', approval, transform }) {
  const isTool = point === 'pre_tool_call'
  if (decision === 'deny' && isTool) {
    return { permission: approval ? 'ask' : 'deny', user_message: reason, agent_message: reason }
  }
  if (decision === 'deny') return { continue: false, user_message: reason }
  if (decision !== 'transform') return {}
  if (!isTool) throw new Error(`A transform at ${point} is forbidden.`)
  const [, key] = /^\$(?:target|policy_target)\.(\w+)$/.exec(transform.path) ?? []
  if (key === undefined) throw new Error(`The transform ${transform.path} cannot be applied.`)
  return { updated_input: { ...context.tool_call.args, [key]: transform.value } }
}

function contextOf(point, payload) {
  if (point === 'input') return { input: { content: payload.prompt, role: 'user' } }
  if (point === 'agent_shutdown') return { summary: { reason: payload.reason } }
  if (point === 'agent_startup') return {}
  const args = structuredClone(payload.tool_input)
  const tool_call = { id: payload.tool_use_id, name: payload.tool_name, args }
  if (point === 'pre_tool_call') return { tool_call, target: args }
  return { tool_call, tool_result: JSON.parse(payload.tool_output) }
}

function resolved({ resolve }) {
  if (resolve.fault) throw new Error(`fault: ${resolve.fault}`)
  return resolve.outcome === 'approve'
}

// ——— what a vector expects ———

function compare(expected, { outcome, output, invocations }, recorded) {
  const failures = []
  const check = (isRight, words) => {
    if (!isRight) failures.push(words)
  }
  let at = 0
  for (const { interception_point: point, context = {} } of expected.interceptions ?? []) {
    if (!POINTS[point]) continue
    // A rewrite is judged again, so a point may come more than once.
    const found = recorded.findIndex(
      (each, index) => index >= at && each.point === point && fits(context, each.context),
    )
    check(found !== -1, `${point} did not come, or not with ${JSON.stringify(context)}`)
    if (found !== -1) at = found + 1
  }
  for (const point of expected.interceptions_absent ?? []) {
    check(!recorded.some(each => each.point === point), `${point} came`)
  }
  if (expected.tool_invocations) {
    check(
      isDeepStrictEqual(invocations, expected.tool_invocations),
      `the tools got ${JSON.stringify(invocations)}`,
    )
  }
  for (const name of expected.tool_not_invoked ?? []) {
    check(!invocations.some(each => each.name === name), `${name} was called`)
  }
  check(outcome === expected.run_outcome, `the run ended as ${outcome}`)
  if (expected.final_output !== undefined) {
    check(output === expected.final_output, `the output is ${JSON.stringify(output)}`)
  }
  return failures
}

/** Fields that our payloads have no word for are not compared. */
function fits(expected, context) {
  return Object.entries(expected).every(([path, value]) => {
    const ours = valueAt(context, path)
    return ours === undefined || isDeepStrictEqual(ours, value)
  })
}

function valueAt(context, path) {
  return path.split('.').reduce((value, key) => value?.[key], context)
}
