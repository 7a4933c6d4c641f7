import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../tests/cpu-time.js'
import { printedBy } from './prints.js'
import { scan } from './scan.js'

const at = (text: string) => scan(text, 'x')
const reads = (text: string) => [...at(text).reads.keys()].sort()
const writes = (text: string) => [...at(text).writes.keys()].sort()

describe('fields that a script reads', () => {
  it.each([
    ['jq', `prompt=$(jq -r '.prompt // .prompt_text' <<< "$input")`, ['prompt', 'prompt_text']],
    ['jq, deeper', `jq -r '.attachments[].filePath'`, ['attachments', 'filePath']],
    ['Python', `data["command"], data.get('sandbox', False)`, ['command', 'sandbox']],
    ['JavaScript', 'const name = payload.mcp_server_name ?? ""', ['mcp_server_name']],
    ['taken apart', 'const { command, cwd: folder } = JSON.parse(text)', ['command', 'cwd']],
    ['as a parameter', 'export default ({ loop_count, status }) => {}', ['loop_count', 'status']],
    ['grep', `grep -o '"file_path":"[^"]*"'`, ['file_path']],
    ['a call is none', 'response.text()', []],
    ['a comment is none', '# .prompt\n// payload.prompt\n * payload.prompt', []],
  ])('%s', (_, text, expected) => expect(reads(text)).toEqual(expected))
})

describe('words that a script answers with', () => {
  it.each([
    ['echo', `echo '{"permission":"deny","userMessage":"no"}'`, ['permission', 'userMessage']],
    ['escaped', `echo "{\\"permission\\": \\"$p\\"}"`, ['permission']],
    ['jq', `jq -n '{continue: false, user_message: $m}'`, ['continue', 'user_message']],
    ['Python', `answer["decision"] = "block"\nprint(json.dumps({"reason": why}))`, ['decision', 'reason']],
    [
      'JavaScript',
      'console.log(JSON.stringify({ permission, agent_message }))',
      ['agent_message', 'permission'],
    ],
    ['a comparison is none', 'if (given.permission === "deny") {}', []],
  ])('%s', (_, text, expected) => expect(writes(text)).toEqual(expected))

  it('finds deny, ask and allow, with their place', () => {
    const text = `#!/bin/sh\necho '{"permission":"ask"}'\necho '{"permission":"deny"}'\necho '{}'\n`
    expect(at(text)).toMatchObject({ asks: { line: 2 }, denies: { line: 3 }, allows: { line: 4 } })
    expect(at('deny everything').denies).toBeUndefined()
    expect(at(`print('{"continue": false}')`).denies).toEqual({ file: 'x', line: 1 })
  })
})

describe('how a script ends', () => {
  it.each([
    'exit 2',
    '  [ -n "$x" ] && exit 2',
    'sys.exit(2)',
    'process.exit( 2 )',
    'process.exitCode = 2',
    'os._exit(2)',
  ])('%s', text => expect(at(text).exitsWith2).toBeDefined())
  it.each(['exit 20', 'exit 1', 'next 2', 'exit $2', 'sys.exit(0)', '# exit 2'])('not %s', text =>
    expect(at(text).exitsWith2).toBeUndefined(),
  )
  it('sees an error right after a deny', () => {
    expect(at(`echo '{"permission":"deny"}'\nexit 1`).exitsAfterDeny).toEqual({ file: 'x', line: 2 })
    expect(at(`exit 1\n\n\n\necho '{"permission":"deny"}'`).exitsAfterDeny).toBeUndefined()
  })
})

describe('what a line prints', () => {
  it.each([
    [`echo '{"permission":"deny"}'`, 'json'],
    [`  *) echo '{}' ;;`, 'json'],
    ['if true; then echo "{}"; fi', 'json'],
    ['echo "checking $file"', 'text'],
    ['print("checking")', 'text'],
    ['print(f"checking {x}")', 'text'],
    [`console.log('checking')`, 'text'],
    ['echo "$answer"', 'something'],
    ['print(json.dumps(answer))', 'something'],
    ['console.log(JSON.stringify(answer))', 'something'],
    [`jq -n '{permission: "deny"}'`, 'something'],
    [`echo "$input" | jq '{permission: .x}'`, 'something'],
    ['cat <<EOF', 'something'],
    ['echo "checking" >&2', undefined],
    ['echo "checking" >> audit.log', undefined],
    ['print("checking", file=sys.stderr)', undefined],
    [`console.error('checking')`, undefined],
    ['name=$(echo "$input" | jq -r .command)', undefined],
    ['echo "$input" | grep -q force', undefined],
    ['jq -r .command > file', undefined],
    ['echo', undefined],
  ])('%s', (line, expected) => expect(printedBy(line)).toBe(expected))
})

describe('whether a script is silent', () => {
  it.each([
    ['a watcher', '#!/bin/sh\ncat >> audit.jsonl\n', 'always'],
    ['who blocks by exit code', 'if grep -q x; then\n  echo no >&2\n  exit 2\nfi', 'always'],
    [
      'who speaks only to object',
      `if grep -q x; then\n  echo '{"permission":"deny"}'\nfi`,
      'unless-objecting',
    ],
    [
      'who answers either way',
      `if grep -q x; then\n  echo '{"permission":"deny"}'\nelse\n  echo '{}'\nfi`,
      'seldom',
    ],
    ['who always denies', `echo '{"permission":"deny"}'`, 'seldom'],
    ['who lets another speak', 'exec node "$(dirname "$0")/guard.js"', 'seldom'],
    ['who speaks in variables', 'print(json.dumps(answer))', 'seldom'],
  ])('%s', (_, text, expected) => expect(at(text).silence).toBe(expected))
})

describe('programs that a library speaks for', () => {
  it('knows a bundle by its banner', () => {
    const bundle = `#!/usr/bin/env node\n// holdfast-sdk 0.1.0\nvar x={permission:"deny",userMessage:p.prompt}`
    expect(at(bundle)).toMatchObject({ speaks: 'sdk', silence: 'seldom' })
    expect(at(bundle).reads.size + at(bundle).writes.size).toBe(0)
  })

  it('knows an import, and which answers are built', () => {
    const python =
      'from holdfast_hooks import hook, deny, context\n\ndef f(p):\n    return deny(p["prompt"])\n'
    expect(at(python)).toMatchObject({ speaks: 'sdk', denies: { line: 4 } })
    expect(at(python).reads.size).toBe(0)
    expect(at('import { ask } from "@holdfast/hooks/sdk"\nask("?")')).toMatchObject({
      speaks: 'sdk',
      asks: { line: 2 },
    })
    expect(at('# holdfast_hooks would be nice').speaks).toBe('by-hand')
  })
})

describe('any text at all', () => {
  it('is read without complaint', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void at(text)))
  })

  it('is read with bounded work', () => {
    const pieces = ['{', '"', 'echo ', "'", '\\"', 'continue ', ' ', 'permission=', '>', 'a.', '{a,', '|']
    const work = cpuMs(() => {
      for (const piece of pieces) {
        at(piece.repeat(500_000 / piece.length))
        at(`${piece.repeat(900)}\n`.repeat(500))
      }
    })
    expect(work).toBeLessThan(20_000)
  })
})
