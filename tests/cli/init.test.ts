// holdfast init as scripts and users call it: the written files work unchanged, in every language, and can be
// removed. By default one language has every event, and the others have one event of each kind of hook that init
// writes.

import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { jobFor } from '../../packages/cli/src/init/job.js'
import { EVENT_NAMES, EVENT_SPECS } from '../../packages/hooks/src/protocol/events.js'
import { root } from '../architecture/source.js'
import { cover } from '../cover.js'
import { python3 } from '../python/python3.js'
import { firstOf, itInAll, runsEverything } from '../scope.js'
import { canBeWarm, PROGRAM, runHoldfast, startWarm } from '../warm/warm.js'

const TERMINAL = fileURLToPath(new URL('../fixtures/terminal.py', import.meta.url))
const hasPython = python3 !== undefined
const hasLibrary = existsSync(join(root, 'packages/cli/dist/python/holdfast_hooks/__init__.py'))

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-init-test-')))
const warm = canBeWarm ? startWarm() : undefined
afterAll(async () => {
  await warm?.close()
  rmSync(base, { recursive: true, force: true })
})

let places = 0
function newPlace() {
  const folder = join(base, String(places++))
  const home = join(folder, 'home')
  const shop = join(folder, 'shop')
  mkdirSync(home, { recursive: true })
  mkdirSync(shop)
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: folder, LC_ALL: 'C.UTF-8', NO_COLOR: '1' }
  const run = (file: string, ...args: string[]) =>
    new Promise<{ code: number | null; output: string }>((resolve, reject) => {
      const child = spawn(file, args, { cwd: shop, env, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      child.stdout.on('data', part => (output += part))
      child.stderr.on('data', part => (output += part))
      child.once('error', reject)
      child.once('close', code => resolve({ code, output }))
    })
  const holdfast = async (...args: string[]) => {
    if (!warm) return run(process.execPath, PROGRAM, ...args)
    const { status, stdout, stderr } = runHoldfast(warm, args, { cwd: shop, env })
    return { code: status, output: stdout + stderr }
  }
  /** A user at a terminal: waits for a text, presses keys. */
  const person = (steps: [string, string][], ...args: string[]) =>
    run('python3', TERMINAL, JSON.stringify(steps), process.execPath, PROGRAM, ...args)
  return { shop, home, holdfast, person, files: (from = shop) => readdirSync(from, { recursive: true }) }
}

const skipped = (what: string): void => {
  process.stdout.write(`  skipped: there is no ${what} here\n`)
}

const well = async (ended: Promise<{ code: number | null; output: string }>) => {
  const { code, output } = await ended
  expect(`${output}\nexit code ${code}`).toBe(`${output}\nexit code 0`)
  return output
}

describe('a folder just initialised', { timeout: 180_000 }, () => {
  const LANGUAGES = [
    ['bash', true],
    ['python', hasPython && hasLibrary],
    ['typescript', true],
  ] as const

  /** One event of each kind of hook. job.test.ts covers the rule and text of each event. */
  const EACH_KIND = [
    ...cover(EVENT_SPECS, spec => {
      const job = jobFor(spec)
      return [
        job.kind,
        `${job.kind} ${spec.gate}`,
        ...('field' in job && job.field === null ? ['audit of nothing'] : []),
      ]
    }),
  ].map(({ name }) => name)
  const eventsFor = (language: string) =>
    runsEverything || language === 'typescript' ? EVENT_NAMES : EACH_KIND

  /** It starts every hook: by default once in each language, and at each level. */
  const doctorLooksAt = (language: string, level: 'project' | 'user') =>
    runsEverything || level === (language === 'typescript' ? 'user' : 'project')

  it.each(LANGUAGES)('writes a hook in %s that passes its tests unchanged', async (language, isThere) => {
    if (!isThere) return skipped(language)
    const { shop, holdfast, files } = newPlace()
    const events = eventsFor(language)
    await well(holdfast('init', '--yes', '--language', language, '--events', events.join(',')))
    expect(await well(holdfast('check'))).toContain(
      `No problems in 1 source (project) · ${events.length} hooks`,
    )
    expect(await well(holdfast('list'))).not.toContain('untrusted')
    expect(await well(holdfast('test'))).toMatch(/\n {2}\d+ passed\n/)
    if (doctorLooksAt(language, 'project')) await well(holdfast('doctor'))
    if (language === 'typescript') await well(holdfast('build', '--check'))
    await well(holdfast('init', '--undo'))
    expect(files()).toEqual([])
    expect(JSON.parse(readFileSync(join(shop, '../home/.holdfast/trust.json'), 'utf8'))).toMatchObject({
      roots: {},
    })
  })

  it.each(firstOf(LANGUAGES))(
    'at user level writes a hook in %s that passes its tests unchanged',
    async (language, isThere) => {
      if (!isThere) return skipped(language)
      const { home, holdfast, files } = newPlace()
      await well(holdfast('init', '--user', '--yes', '--language', language))
      expect(readFileSync(join(home, '.cursor/hooks.json'), 'utf8')).toMatch(
        /"command": "(?:node )?hooks\/guard\./,
      )
      await well(holdfast('check'))
      await well(holdfast('test', join(home, '.cursor/hooks')))
      if (doctorLooksAt(language, 'user')) await well(holdfast('doctor'))
      await well(holdfast('init', '--user', '--undo'))
      expect(files(home).filter(name => String(name).startsWith('.cursor'))).toEqual([])
    },
  )
})

describe('what is already there', { timeout: 180_000 }, () => {
  itInAll('passes its cases together with examples, and they with it', async () => {
    const { holdfast } = newPlace()
    await well(holdfast('init', '--yes', '--language', 'bash'))
    // All of them have hooks for the events of the others.
    await well(holdfast('init', '--yes', '--example', 'audit', '--example', 'session-init'))
    await well(holdfast('init', '--yes', '--example', 'validate-tool'))
    await well(holdfast('check'))
    expect(await well(holdfast('test'))).toMatch(/\n {2}\d\d passed\b/)
  })

  it('stays trusted when a hook is added beside it, and after that is undone', async () => {
    const { shop, holdfast } = newPlace()
    await well(holdfast('init', '--yes', '--language', 'bash'))
    expect(await well(holdfast('init', '--yes', '--example', 'session-init'))).toContain(
      '2 hooks are trusted',
    )
    expect(await well(holdfast('list'))).not.toContain('untrusted')
    await well(holdfast('init', '--undo'))
    expect(await well(holdfast('list'))).not.toContain('untrusted')
    // A change in between is not trusted.
    appendFileSync(join(shop, '.cursor/hooks/guard.sh'), 'true\n')
    await well(holdfast('init', '--yes', '--example', 'session-init'))
    expect(await well(holdfast('list'))).toMatch(/guard\.sh.*untrusted/)
  })

  it('is not trusted as the library of a Python hook', async () => {
    if (!hasLibrary) return skipped('library')
    const { shop, holdfast } = newPlace()
    mkdirSync(join(shop, '.cursor/hooks/holdfast_hooks'), { recursive: true })
    writeFileSync(join(shop, '.cursor/hooks/holdfast_hooks/__init__.py'), 'import os; os.system("id")')
    const { code, output } = await holdfast('init', '--yes', '--language', 'python')
    expect(output).toContain('__init__.py exists and is not the library of this version')
    expect(code).toBe(1)
    expect(existsSync(join(shop, '.cursor/hooks.json'))).toBe(false)
  })
})

describe.runIf(existsSync('/proc/self'))('a place where nothing can be made', { timeout: 20_000 }, () => {
  it.each(['--root', '--home'])('as %s is refused at once', async option => {
    const { holdfast, files } = newPlace()
    const { code, output } = await holdfast('init', '--yes', option, '/proc')
    expect(output).toMatch(/ENOENT.*(?:Everything was restored|Nothing was written)/)
    expect(code).toBe(1)
    expect(files()).toEqual([])
  })
})

describe('the shell script', () => {
  const place = newPlace()
  const TOOLS = ['sh', 'cat', 'tr', 'grep', 'date', 'mkdir']
  const which = (name: string) =>
    (process.env.PATH ?? '')
      .split(delimiter)
      .map(folder => join(folder, name))
      .find(existsSync)

  /** The program on PATH may be a script that needs all of PATH. */
  const programOf = (reader: string) =>
    reader === 'python3'
      ? spawnSync(reader, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim()
      : which(reader)

  const answerTo = (payload: string, reader?: string) => {
    const bin = join(place.home, `bin-${reader}`)
    if (!existsSync(bin)) {
      mkdirSync(bin)
      for (const tool of TOOLS) symlinkSync(which(tool)!, join(bin, tool))
      // Not a link: Python looks for its library beside the name of the program.
      if (reader) {
        writeFileSync(join(bin, reader), `#!/bin/sh\nexec '${programOf(reader)}' "$@"\n`, { mode: 0o755 })
      }
    }
    return new Promise<unknown>((resolve, reject) => {
      const script = spawn(join(place.shop, '.cursor/hooks/guard.sh'), [], {
        env: { PATH: bin, HOME: place.home },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      let stdout = ''
      script.stdout.on('data', part => (stdout += part))
      script.once('error', reject)
      script.once('close', () => resolve(JSON.parse(stdout)))
      script.stdin.end(payload)
    })
  }
  const push = (command: string) => JSON.stringify({ hook_event_name: 'beforeShellExecution', command })
  const denied = expect.objectContaining({ permission: 'deny' })

  it('is written', () => well(place.holdfast('init', '--yes')))

  it.each(['jq', 'python3', 'node'])('reads JSON with %s alone', async reader => {
    if (!which(reader)) return skipped(reader)
    const refused = expect.objectContaining({ permission: 'deny', continue: false })
    const asked = expect.objectContaining({ followup_message: expect.any(String) })
    const cases: [payload: string, answer: unknown][] = [
      [push('git push --force'), denied],
      [push('echo "a\\"b" \u00e9 $(x) `y` \\n'), {}],
      [push('cd a &&\ngit -C b push \\\n origin -f'), denied],
      [push('git push --force-with-lease'), {}],
      ['{"hook_event_name":"stop","status":"completed","loop_count":0}', asked],
      ['{"hook_event_name":"stop","status":"completed","loop_count":1}', {}],
      ['', refused],
      ['x', refused],
      ['[]', refused],
      ['{}', refused],
      ['{"hook_event_name":"beforeShellExecution"}', refused],
      ['{"hook_event_name":7', refused],
      [push(`git push --force ${'x'.repeat(1_000_000)}`), denied],
    ]
    const answers = await Promise.all(cases.map(([payload]) => answerTo(payload, reader)))
    expect(answers).toEqual(cases.map(([, answer]) => answer))
  })

  it('denies when no program here can read JSON', async () => {
    expect(await answerTo(push('ls'))).toEqual(
      expect.objectContaining({ permission: 'deny', continue: false }),
    )
  })
})

describe.concurrent('a person at a terminal', { timeout: 60_000 }, () => {
  const it_ = it.skipIf(!hasPython)

  it_('is asked, sees the plan, agrees', async () => {
    const { person, files, holdfast } = newPlace()
    const output = await well(
      person(
        [
          ['Where should the hook run', '\r'],
          ['Which language', '\r'],
          ['Which events', ' \r'],
          ['Write these files', 'y'],
        ],
        'init',
      ),
    )
    expect(output).toContain('create  .cursor/hooks/guard.sh')
    expect(output).toContain('"sessionStart": [')
    expect(output).toContain('4 hooks are trusted')
    expect(files()).toContain('.cursor/hooks.json')
    await well(holdfast('check'))
  })

  it_('is asked only for what the flags leave open', async () => {
    const { person, home } = newPlace()
    const flags = ['--user', '--language', 'bash', '--events', 'stop']
    const output = await well(person([['Write these files', 'y']], 'init', ...flags))
    expect(output).not.toMatch(/Where should the hook run|Which language|Which events/)
    expect(existsSync(join(home, '.cursor/hooks/first-hook.sh'))).toBe(true)
  })

  const nothingIsWritten = async (steps: [string, string][]) => {
    const { person, files, home } = newPlace()
    const { code, output } = await person(steps, 'init')
    expect(output).toContain('Nothing was written.')
    expect(code).toBe(1)
    expect(files()).toEqual([])
    expect(files(home)).toEqual([])
  }

  it.skipIf(!hasPython).each([
    ['at the first question', [['Where should the hook run', '\u0003']]],
    [
      'with Escape',
      [
        ['Where should the hook run', '\r'],
        ['Which language', '\r'],
        ['Which events', '\u001b'],
      ],
    ],
    [
      'before the last word',
      [
        ['Where should the hook run', '\r'],
        ['Which language', '\r'],
        ['Which events', '\r'],
        ['Write these files', '\u0003'],
      ],
    ],
    [
      'by saying no',
      [
        ['Where should the hook run', '\r'],
        ['Which language', '\r'],
        ['Which events', '\r'],
        ['Write these files', 'n'],
      ],
    ],
  ] as [string, [string, string][]][])('writes nothing when it is cancelled %s', (_, steps) =>
    nothingIsWritten(steps),
  )

  itInAll('writes nothing when it is cancelled at the second question', async () => {
    if (!hasPython) return skipped('python3')
    await nothingIsWritten([
      ['Where should the hook run', '\r'],
      ['Which language', '\u0003'],
    ])
  })
})
