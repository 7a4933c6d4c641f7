// The test kit as authors use it: the built package, installed in a separate project, in the three frameworks. Each
// must report what passes and what fails, with reasons.

import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { runsEverything } from '../scope.js'

const BODY = `
const program = hook({
  beforeShellExecution: ({ command }) => (/rm -rf/.test(command) ? deny('No rm here.') : undefined),
})
const shell = command => given('beforeShellExecution', { command })

test('a program denies', async () => {
  await shell('rm -rf /').at(program).denies(/rm/).hasUserMessage('No rm here.')
})
test('a function abstains', async () => {
  await shell('ls').at(() => undefined).abstains()
})
test('a script answers', async () => {
  await shell('ls').at(script('node guard.cjs')).asks('Sure?').exits(0)
})
test('a hooks.json answers', async () => {
  await shell('ls').at(hooksJson('.')).asks('Sure?').runs(1)
})
test('a wrong verdict', async () => {
  await shell('ls').at(script('node guard.cjs')).denies('No.')
})
test('a hook that crashes', async () => {
  await shell('ls').at(() => { throw new Error('out of luck') }).proceeds()
})
`

const names = '{ given, hooksJson, script }'
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true }',
  'guard.cjs': `console.error('looked at it'); console.log('{"permission":"ask","user_message":"Sure?"}')`,
  '.cursor/hooks.json':
    '{ "version": 1, "hooks": { "beforeShellExecution": [{ "command": "node guard.cjs" }] } }',
  'vitest.test.mjs': `import { test } from 'vitest'
import { deny, hook } from '@holdfast/hooks/sdk'
import ${names} from '@holdfast/hooks/testing'
${BODY}
test('not awaited', () => { shell('ls').at(program).denies() })
`,
  'node.test.mjs': `import { test } from 'node:test'
import { deny, hook } from '@holdfast/hooks/sdk'
import ${names} from '@holdfast/hooks/testing'
${BODY}
test('not awaited', () => { shell('ls').at(program).denies() })
`,
  // Jest without flags and node:test in a CommonJS file.
  'jest.test.cjs': `const { deny, hook } = require('@holdfast/hooks/sdk')
const ${names} = require('@holdfast/hooks/testing')
${BODY}`,
  'required.test.cjs': `const { test } = require('node:test')
const { deny, hook } = require('@holdfast/hooks/sdk')
const ${names} = require('@holdfast/hooks/testing')
${BODY}`,
}

let folder: string
beforeAll(() => {
  expect(existsSync(join(root, 'packages/hooks/dist/testing.js')), 'Build first: npm run build').toBe(true)
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-frameworks-')))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  mkdirSync(join(folder, 'node_modules/@holdfast'), { recursive: true })
  mkdirSync(join(folder, 'tmp'))
  symlinkSync(join(root, 'packages/hooks'), join(folder, 'node_modules/@holdfast/hooks'), 'junction')
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'), 'junction')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** With the environment of a user, not that of the test runner. */
function run(args: readonly string[]): Promise<Ended> {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, TMPDIR: join(folder, 'tmp'), NO_COLOR: '1', CI: '1' }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const take = (chunk: Buffer) => {
      output += chunk.toString('utf8')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', reject)
    child.once('close', code => resolve({ code, output }))
  })
}

const FRAMEWORKS = {
  vitest: {
    args: ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', 'vitest.test.mjs'],
    summary: /Tests {2}2 failed \| 5 passed \(7\)/,
    failed: [/× a wrong verdict/, /× a hook that crashes/],
    place: /vitest\.test\.mjs:26:/,
  },
  'node:test': {
    args: ['--test', 'node.test.mjs'],
    summary: /^\S+ pass 5\n\S+ fail 2$/m,
    failed: [/^(?:✖|not ok \d+ -) a wrong verdict/m, /^(?:✖|not ok \d+ -) a hook that crashes/m],
    place: /node\.test\.mjs:26:/,
  },
  'node:test with require': {
    args: ['--test', 'required.test.cjs'],
    summary: /^\S+ pass 4\n\S+ fail 2$/m,
    failed: [/^(?:✖|not ok \d+ -) a wrong verdict/m, /^(?:✖|not ok \d+ -) a hook that crashes/m],
    place: /required\.test\.cjs:26:/,
  },
  jest: {
    args: [
      join(root, 'node_modules/jest/bin/jest.js'),
      '--rootDir',
      '.',
      '--testMatch',
      '**/jest.test.cjs',
      '--watchman=false',
    ],
    summary: /Tests: {7}2 failed, 4 passed, 6 total/,
    failed: [/✕ a wrong verdict/, /✕ a hook that crashes/],
    place: /jest\.test\.cjs:25:/,
  },
} as const

describe.concurrent('the test kit in', () => {
  // `npm run test:all` installs Jest.
  const inThisRun = Object.entries(FRAMEWORKS).filter(([name]) => name !== 'jest' || runsEverything)
  it.each(inThisRun)('%s', async (_, { args, summary, failed, place }) => {
    const { code, output } = await run(args)
    expect(output).toMatch(summary)
    expect(code).toBe(1)
    for (const line of failed) expect(output).toMatch(line)
    expect(output).toMatch(place)
    expect(output).toMatch(/verdict\s+expected {2}deny\s+got {7}ask/)
    expect(output).toMatch(/failed\s+expected {2}none\s+got {7}open/)
    expect(output).toContain('looked at it')
    expect(output).toContain('out of luck')
    expect(output).not.toMatch(/unhandled/i)
    if (args.at(-1)?.endsWith('.mjs'))
      expect(output).toMatch(/a case was never awaited, so it tested nothing: .*test\.mjs:29:/)
  })
})

it('leaves nothing behind', async () => {
  const left = () => readdirSync(join(folder, 'tmp')).filter(name => name.startsWith('holdfast-'))
  expect(left()).toEqual([])
})
