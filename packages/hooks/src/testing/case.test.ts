// The test kit against the real engine: that it passes what is right, and that it fails what is not.

import { AssertionError } from 'node:assert'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PROFILE_NAMES } from '../protocol/profiles.js'
import { context, conversationState, deny, env, followup, hook, rewrite } from '../sdk/index.js'
import { type Case, given, hooksJson, script } from './index.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-kit-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (path: string, text: string) => {
  const file = join(root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  if (text.startsWith('#!')) chmodSync(file, 0o755)
  return file
}
const say = (answer: unknown) => `printf '%s' '${JSON.stringify(answer)}'`
const guard = ({ command }: { command: string }) =>
  /rm -rf/.test(command)
    ? { permission: 'deny', user_message: 'No rm here.', agent_message: 'Use trash.' }
    : {}

const failure = async (one: Case): Promise<AssertionError> => {
  try {
    await one
  } catch (error) {
    return error as AssertionError
  }
  throw new Error('It passed.')
}

describe('a handler function', () => {
  const rm = () => given('beforeShellExecution', { command: 'rm -rf /' }).at(guard)

  it('returns the response that becomes the verdict', async () => {
    const result = await rm()
      .denies(/rm/)
      .hasUserMessage('No rm here.')
      .hasAgentMessage({ contains: 'trash' })
      .within(5_000)
    expect(result).toMatchObject({ decision: 'deny', permission: 'deny', userMessage: 'No rm here.' })
    await given('beforeShellExecution', { command: 'ls' }).at(guard).abstains().proceeds().runs(1)
  })

  it('receives the sample for missing fields', async () => {
    let seen: Record<string, unknown> = {}
    await given('beforeReadFile', { content: 'x' }).at(payload => {
      seen = payload
    })
    expect(seen).toMatchObject({ file_path: '/project/.env', content: 'x', workspace_roots: ['/project'] })
    await given('stop').at(payload => {
      seen = payload
    })
    expect(seen).toMatchObject({ status: 'completed', loop_count: 0 })
    expect(seen).not.toHaveProperty('cwd')
  })

  it('receives one payload shape and may return SDK responses, in every version that has the event', async () => {
    for (const profile of PROFILE_NAMES) {
      let prompt = ''
      const one = given('beforeSubmitPrompt', { prompt: 'deploy' }, { profile }).at(payload => {
        prompt = payload.prompt
        return deny('Not today.')
      })
      await (profile === 'cursor-1.7' ? one.proceeds() : one.blocks())
      expect(prompt).toBe('deploy')
    }
    await given('sessionStart')
      .at(() => [context('Be brief.'), env({ STAGE: 'test' })])
      .addsContext('Be brief.')
      .setsEnv({ STAGE: /^t/ })
    await given('preToolUse')
      .at(() => rewrite({ command: 'ls', deep: { a: [1] } }))
      .rewrites({ deep: { a: [1] } })
    await given('postToolUse', { tool_name: 'MCP:query' })
      .at(() => rewrite({ rows: 0 }))
      .replacesOutput({ rows: 0 })
    await given('stop')
      .at(() => followup('Go on.'))
      .followsUp()
      .followsUp(/on/)
    await given('stop')
      .at(() => undefined)
      .doesNotFollowUp()
    await given('workspaceOpen')
      .at(() => ({ pluginPaths: ['/a'] }))
      .addsPlugins(['/a'])
  })

  it('fails the case if it throws, unless that is expected', async () => {
    const broken = () => {
      throw new Error('out of luck')
    }
    const one = () => given('beforeShellExecution').at(broken)
    expect((await failure(one().proceeds())).message).toMatch(/failed[\s\S]*open[\s\S]*out of luck/)
    await one().failsOpen()
    await given('beforeReadFile').at(broken).failsClosed().denies()
    await one().result()
  })

  it('cannot have env', async () => {
    const one = given('stop', {}, { env: { A: '1' } }).at(() => undefined)
    expect((await failure(one.doesNotFail())).message).toMatch(/env is for scripts/)
  })
})

describe('a mismatch', () => {
  const one = (text = 'ls') => given('beforeShellExecution', { command: text }).at(guard)
  const cases: [string, () => Case, RegExp][] = [
    ['allow', () => one().allows(), /verdict\s+expected {2}allow\s+got {7}none: all hooks abstained/],
    ['deny', () => one().denies(), /expected {2}deny/],
    ['ask', () => one('rm -rf x').asks(), /expected {2}ask\s+got {7}deny/],
    ['none', () => one('rm -rf x').abstains(), /expected {2}none\s+got {7}deny/],
    ['blocked', () => one().blocks(), /expected {2}blocked/],
    ['proceeds', () => one('rm -rf x').proceeds(), /expected {2}proceeds\s+got {7}deny/],
    ['any message', () => one('rm -rf x').denies('no'), /message\s+expected {2}"no"\s+got {7}"No rm here\."/],
    [
      'no message, where the user gets one',
      () =>
        given('beforeShellExecution')
          .at(() => ({ permission: 'deny', user_message: 'No.' }))
          .denies(null),
      /message\s+expected {2}none\s+got {7}"No\."/,
    ],
    [
      'a part as the complete text',
      () => one('rm -rf x').hasUserMessage('No rm'),
      /user message\s+expected {2}"No rm"/,
    ],
    [
      'no message',
      () => one('rm -rf x').hasAgentMessage(null),
      /agent message\s+expected {2}none\s+got {7}"Use/,
    ],
    ['a pattern', () => one('rm -rf x').hasUserMessage(/rm$/), /expected {2}\/rm\$\//],
    [
      'context',
      () =>
        given('sessionStart')
          .at(() => ({}))
          .addsContext('x'),
      /context\s+expected {2}"x"\s+got {7}none/,
    ],
    [
      'a follow-up',
      () =>
        given('stop')
          .at(() => ({}))
          .followsUp(),
      /followup\s+expected {2}some text/,
    ],
    [
      'none of them',
      () =>
        given('stop')
          .at(() => followup('x'))
          .doesNotFollowUp(),
      /got {7}"x"/,
    ],
    [
      'one key of a rewrite',
      () =>
        given('preToolUse')
          .at(() => rewrite({ a: 1, b: 2 }))
          .rewrites({ a: 1, b: 3 }),
      /rewrite\.b\s+expected {2}3\s+got {7}2/,
    ],
    [
      'a rewrite',
      () =>
        given('preToolUse')
          .at(() => ({}))
          .rewrites({ a: 1 }),
      /rewrite\s+expected {2}a 1\s+got {7}none/,
    ],
    [
      'a key of every object',
      () =>
        given('preToolUse')
          .at(() => rewrite({}))
          .rewrites({ constructor: 1 }),
      /got {7}none/,
    ],
    [
      'a variable',
      () =>
        given('sessionStart')
          .at(() => env({ A: '1' }))
          .setsEnv({ A: '2' }),
      /env\.A\s+expected {2}"2"\s+got {7}"1"/,
    ],
    [
      'output',
      () =>
        given('postToolUse')
          .at(() => ({}))
          .replacesOutput({ a: 1 }),
      /output\s/,
    ],
    [
      'plugins',
      () =>
        given('workspaceOpen')
          .at(() => ({}))
          .addsPlugins(['/a']),
      /plugins\s+expected {2}\["\/a"\]/,
    ],
    ['too slow', () => one().within(0), /within\s+expected {2}0 ms\s+got {7}\d+ ms/],
    ['an exit code', () => given('stop').at(script('exit 3')).exits(4), /exit\s+expected {2}4\s+got {7}3/],
    ['how many ran', () => one().runs(2), /ran\s+expected {2}2\s+got {7}guard/],
    ['which ran', () => one().runs(['other']), /ran\s+expected {2}\["other"\]/],
    [
      'stderr',
      () => given('stop').at(script('echo no >&2')).writesToStderr(''),
      /stderr\s+expected {2}""\s+got {7}"no\\n"/,
    ],
    ['a failure', () => one().failsOpen(), /failed\s+expected {2}open\s+got {7}none/],
    [
      'no failure',
      () => given('stop').at(script('exit 3')).doesNotFail(),
      /failed\s+expected {2}none\s+got {7}open/,
    ],
    [
      'an event that cannot be stopped',
      () =>
        given('stop')
          .at(() => deny() as never)
          .denies(),
      /stop/,
    ],
  ]

  it.each(cases)('%s', async (_, make, message) => {
    const error = await failure(make())
    expect(error).toBeInstanceOf(AssertionError)
    expect(error.code).toBe('ERR_ASSERTION')
    expect(error.message).toMatch(message)
    expect(error.stack).toContain('case.test.ts')
  })

  it('is reported with the responses of the hooks', async () => {
    const one = given('beforeShellExecution', {}, { root }).at(
      script(`echo 'saw it' >&2; echo '{"permission":"allow"}'`),
    )
    const { message, actual, expected } = await failure(one.denies())
    expect(message).toContain('exit 0')
    expect(message).toContain('{"permission":"allow"}')
    expect(message).toContain('saw it')
    expect({ actual, expected }).toEqual({ actual: { verdict: 'allow' }, expected: { verdict: 'deny' } })
  })

  it('is shown from the first difference of two long texts', async () => {
    const long = `${'a long way to the end, '.repeat(20)}left`
    const one = given('stop').at(() => followup(long))
    const { message } = await failure(one.followsUp(long.replace('left', 'right')))
    expect(message).toMatch(/expected {2}"….{20}right"\n\s+got {7}"….{20}left"/)
  })

  it('is thrown at once for an unknown event', () => {
    expect(() => given('beforeShelExecution' as 'stop')).toThrow('Did you mean beforeShellExecution?')
  })

  it('is reported for a field of the wrong type', async () => {
    const one = given('beforeShellExecution', { command: 5 as never }).at(guard)
    expect((await failure(one.denies())).message).toMatch(/"command" is 5; expected a string/)
  })
})

describe('a case', () => {
  it('runs once, when it is awaited', async () => {
    let runs = 0
    const one = given('stop').at(() => void runs++)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(runs).toBe(0)
    await Promise.all([one.result(), one, one.doesNotFollowUp()])
    expect(runs).toBe(1)
  })

  it('does not reject if it is not awaited', async () => {
    given('stop')
      .at(() => undefined)
      .followsUp()
      .result()
      .catch(() => {})
    const later = given('stop')
      .at(() => undefined)
      .followsUp()
    await new Promise(resolve => setTimeout(resolve, 20))
    await expect(later).rejects.toThrow('not as expected')
  })
})

describe('an SDK program', () => {
  const program = hook({
    beforeShellExecution: ({ command }) => {
      if (command === 'crash') throw new Error('out of luck')
      return /rm/.test(command) ? deny('No rm.', { agent: 'Use trash.' }) : undefined
    },
    stop: async payload => {
      const tries = await conversationState(payload, 'tries', 0).update(old => old + 1)
      return tries < 3 ? followup(`Try ${tries}`) : undefined
    },
  })
  const shell = (command: string) => given('beforeShellExecution', { command }).at(program)

  it('does not read stdin, and responds in every version', async () => {
    await shell('rm x').denies('No rm.').hasAgentMessage('Use trash.')
    await shell('ls').abstains()
    for (const profile of PROFILE_NAMES) {
      await given('beforeShellExecution', { command: 'rm x' }, { profile }).at(program).denies('No rm.')
    }
  })

  it('fails the case if its handler throws, although it denies', async () => {
    const error = await failure(shell('crash').denies())
    expect(error.message).toMatch(
      /failed\s+expected {2}none\s+got {7}closed \(program\)[\s\S]*the handler .* out of luck/,
    )
    await shell('crash')
      .failsClosed()
      .denies()
      .writesToStderr(/out of luck/)
    expect((await failure(given('preCompact').at(program).proceeds())).message).toMatch(
      /no handler for preCompact/,
    )
  })

  it('does not use the state of real hooks', async () => {
    const stop = (conversation_id: string) => given('stop', { conversation_id }).at(program)
    await stop('a').followsUp('Try 1')
    await stop('a').followsUp('Try 2')
    await stop('b').followsUp('Try 1')
    await stop('a').doesNotFollowUp()
    expect(process.env.HOLDFAST_STATE).toContain('holdfast-testing-state-')
    expect(process.env.HOLDFAST_STATE!.startsWith(homedir())).toBe(tmpdir().startsWith(homedir()))
  })
})

describe('a script', () => {
  it('runs in the workspace, with its own home', async () => {
    const out = join(root, 'out')
    const one = given('stop', {}, { root, env: { COLOUR: 'blue' } }).at(
      script(
        `cat > seen.json; echo "$HOME|$COLOUR|$CURSOR_PROJECT_DIR|$PWD" > out; echo '{"followup_message":"go"}'`,
      ),
    )
    const result = await one.followsUp('go').exits(0)
    expect(result.runs[0]!.hook.source).toBe('project')
    const [home, colour, project, folder] = readFileSync(out, 'utf8').trim().split('|')
    expect({ colour, project, folder }).toEqual({ colour: 'blue', project: root, folder: root })
    expect(home).not.toBe(homedir())
    expect(existsSync(home!)).toBe(false)
    expect(JSON.parse(readFileSync(join(root, 'seen.json'), 'utf8'))).toMatchObject({
      hook_event_name: 'stop',
      workspace_roots: [root],
    })
  })

  it('has the keys of its entry', async () => {
    const shell = (command: string) => given('beforeShellExecution', { command }, { root })
    const no = say({ permission: 'deny' })
    await shell('git push')
      .at(script(no, { matcher: 'push' }))
      .denies()
    await shell('ls')
      .at(script(no, { matcher: 'push' }))
      .proceeds()
      .runs(0)
    await shell('ls')
      .at(script('exit 1', { failClosed: true }))
      .failsClosed()
    await shell('ls')
      .at(script('sleep 5', { timeout: 0.1 }))
      .failsOpen()
      .within(3_000)
    const stop = given('stop', { loop_count: 3 }, { root })
    await stop.at(script(say({ followup_message: 'x' }), { loop_limit: 2 })).doesNotFollowUp()
    await stop.at(script(say({ followup_message: 'x' }), { loop_limit: null })).followsUp()
  })

  it('runs in the folder that the version uses', async () => {
    write('.cursor/guard.sh', `#!/bin/sh\n${say({ permission: 'deny' })}\n`)
    const at = (profile: 'cursor-1.7' | 'cursor-3', command: string) =>
      given('beforeShellExecution', {}, { root, profile }).at(script(command))
    await at('cursor-3', '.cursor/guard.sh').denies()
    await at('cursor-1.7', './guard.sh').denies()
    await at('cursor-1.7', '.cursor/guard.sh').failsOpen()
  })

  it('is cancelled at the time limit of the case', async () => {
    const one = given('stop', {}, { root, timeoutMs: 100 }).at(script('sleep 5'))
    expect((await failure(one.doesNotFail())).message).toMatch(/cancelled/)
  })

  it('must not be empty', async () => {
    expect((await failure(given('stop').at(script(' ')).doesNotFail())).message).toMatch(/not empty/)
  })
})

describe('a hooks.json', () => {
  beforeEach(() => {
    const hooks = { beforeShellExecution: [{ command: say({ permission: 'ask', user_message: 'Sure?' }) }] }
    write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks }))
  })

  it.each(['', '.cursor', '.cursor/hooks.json'])('named by "%s"', async path => {
    await given('beforeShellExecution')
      .at(hooksJson(join(root, path)))
      .asks('Sure?')
      .runs(1)
  })

  it('runs with the hooks of a home folder', async () => {
    const hooks = { beforeShellExecution: [{ command: say({ permission: 'deny' }) }] }
    write('home/.cursor/hooks.json', JSON.stringify({ version: 1, hooks }))
    const options = { home: join(root, 'home') }
    await given('beforeShellExecution', {}, options).at(hooksJson(root)).denies().runs(2)
  })

  it('is rejected at once if it is missing or outside .cursor', () => {
    expect(() => hooksJson(join(root, 'absent'))).toThrow('does not exist')
    expect(() => hooksJson(write('hooks.json', '{}'))).toThrow('not in a .cursor folder')
  })

  it('uses the model of the test', async () => {
    const hooks = { beforeShellExecution: [{ type: 'prompt', prompt: 'Is it safe? $ARGUMENTS' }] }
    write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks }))
    const evaluatePrompt = async () => ({ ok: false, reason: 'Not on a Friday.' })
    await given('beforeShellExecution', {}, { evaluatePrompt }).at(hooksJson(root)).denies('Not on a Friday.')
  })
})
