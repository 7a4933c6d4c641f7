// `holdfast ui` as a user runs it: a link, a browser, another link.

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { watched } from '../processes.js'

const BIN = join(import.meta.dirname, '../../packages/cli/bin/holdfast.cjs')
const TERMINAL = join(import.meta.dirname, '../fixtures/terminal.py')
const hasTerminal = process.platform === 'linux' && spawnSync('python3', ['--version']).status === 0

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-ui-test-'))
  for (const name of ['bin', 'home', 'project', 'tmp']) mkdirSync(join(folder, name))
  // Stands for a desktop: it gets the path of a file, and opens it.
  const opener = join(folder, 'bin', 'xdg-open')
  writeFileSync(
    opener,
    `#!/bin/sh
cd '${folder}' && printf '%s\\n' "$@" > opened && cat tmp/*/open.html > half && mv half page
`,
  )
  chmodSync(opener, 0o755)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Waits for a text, presses keys. */
function person(
  steps: readonly (readonly [string, string, string?])[],
  args: readonly string[],
  env: object = {},
) {
  return new Promise<{ code: number | null; screen: string }>((resolve, reject) => {
    const child = watched(
      spawn('python3', [TERMINAL, JSON.stringify(steps), process.execPath, BIN, 'ui', ...args], {
        cwd: join(folder, 'project'),
        env: {
          PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
          HOME: join(folder, 'home'),
          TMPDIR: join(folder, 'tmp'),
          LC_ALL: 'C.UTF-8',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    let screen = ''
    child.stdout.on('data', part => (screen += part))
    child.stderr.on('data', part => (screen += part))
    child.once('error', reject)
    child.once('close', code => resolve({ code, screen }))
  })
}

const linksIn = (text: string) => [
  ...new Set(text.match(/http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}/g) ?? []),
]
const CTRL_C = '\u0003'

describe.skipIf(!hasTerminal)('holdfast ui on a terminal', () => {
  it('prints a link, opens a browser, and prints another link on Enter', async () => {
    const { code, screen } = await person(
      [
        ['Ctrl-C stops the panel.', '\r'],
        // Not before the browser has read its page, which is removed with the panel.
        ['#token=', CTRL_C, join(folder, 'page')],
      ],
      [],
    )
    expect(code).toBe(0)
    const links = linksIn(screen)
    expect(links).toHaveLength(2)
    expect(screen).toContain('It works once, within a minute. Enter prints another; Ctrl-C stops the panel.')
    // The browser gets a separate link, in a file that only its owner reads, not among its arguments.
    const opened = readFileSync(join(folder, 'opened'), 'utf8')
    expect(opened).toMatch(/^file:\/\/\S+\/open\.html\n$/)
    expect(opened).not.toContain('token')
    const [inPage] = linksIn(readFileSync(join(folder, 'page'), 'utf8'))
    expect(inPage).toBeDefined()
    expect(links).not.toContain(inPage)
    // The one that the opener read.
    const page = fileURLToPath(opened.trim())
    expect(dirname(dirname(page))).toBe(join(folder, 'tmp'))
    expect(existsSync(page)).toBe(false)
  })

  it('opens none on request, and none without a terminal', async () => {
    for (const [args, env] of [
      [['--no-open'], {}],
      [[], { CI: 'true' }],
    ] as const) {
      const { code } = await person([['Ctrl-C stops the panel.', CTRL_C]], args, env)
      expect(code).toBe(0)
      expect(existsSync(join(folder, 'opened'))).toBe(false)
    }
  })

  it('does without a browser where there is none', async () => {
    rmSync(join(folder, 'bin', 'xdg-open'))
    const { code, screen } = await person([['Ctrl-C stops the panel.', CTRL_C]], [], {
      PATH: `/nonexistent${delimiter}/usr/bin${delimiter}/bin`,
    })
    expect(code).toBe(0)
    expect(screen).not.toMatch(/ENOENT|Error/)
  })
})
