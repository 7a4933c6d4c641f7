// The scripts that the panel shows of a hook, from real files.

import { execFileSync } from 'node:child_process'
import fs, {
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HookDefinition, SourceKind } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plainScreen } from '../../print/terminal.js'
import { scriptsOf } from './scripts.js'

let folder: string
let root: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-scripts-')))
  root = join(folder, 'root')
  mkdirSync(root)
  writeFileSync(join(folder, 'secret'), 'hunter2')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hookOf = (source: SourceKind, path: string) =>
  ({ source, root, scripts: [{ path, stamp: '' }] }) as unknown as HookDefinition
const shownOf = (source: SourceKind, path: string) => scriptsOf(hookOf(source, path), plainScreen(root))

describe('the scripts of a hook', () => {
  it.each(['project', 'claude-project', 'claude-local'] as const)(
    'of the source %s are not shown where a link leads out of the project',
    source => {
      const [inside, link, above] = [join(root, 'guard.sh'), join(root, 'link.sh'), join(root, 'above')]
      writeFileSync(inside, '#!/bin/sh\n')
      symlinkSync(join(folder, 'secret'), link)
      symlinkSync('..', above)
      expect(shownOf(source, inside)).toMatchObject([{ text: '#!/bin/sh\n', language: 'sh', cut: false }])
      expect(shownOf(source, link)).toEqual([])
      expect(shownOf(source, join(above, 'secret'))).toEqual([])
      // The command names this one itself.
      expect(shownOf(source, join(folder, 'secret'))).toMatchObject([{ text: 'hunter2' }])
    },
  )

  it.each(['user', 'enterprise', 'team'] as const)('of the source %s are shown through links', source => {
    symlinkSync(join(folder, 'secret'), join(root, 'link.sh'))
    expect(shownOf(source, join(root, 'link.sh'))).toMatchObject([{ text: 'hunter2' }])
  })

  it('in a folder with a name that begins with two dots are inside', () => {
    mkdirSync(join(root, '..hooks'))
    writeFileSync(join(root, '..hooks/guard.sh'), 'true')
    symlinkSync('..hooks/guard.sh', join(root, 'link.sh'))
    expect(shownOf('project', join(root, 'link.sh'))).toMatchObject([{ text: 'true' }])
  })

  it('are left out when they are missing, folders or pipes', () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    const { openSync } = fs
    const flagsOf = new Map<string, number>()
    // A pipe that is opened without this flag would block the test for good.
    fs.openSync = (path, flags, mode) => {
      flagsOf.set(String(path), Number(flags))
      return openSync(path, Number(flags) | constants.O_NONBLOCK, mode)
    }
    syncBuiltinESMExports()
    try {
      for (const path of [join(root, 'missing'), root, join(root, 'pipe')])
        expect(shownOf('project', path), path).toEqual([])
    } finally {
      fs.openSync = openSync
      syncBuiltinESMExports()
    }
    expect(flagsOf.get(join(root, 'pipe'))! & constants.O_NONBLOCK).not.toBe(0)
  })

  it('that are no text are shown without it', () => {
    writeFileSync(join(root, 'program'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]))
    expect(shownOf('project', join(root, 'program'))).toMatchObject([{ text: '', cut: true, size: 5n }])
  })
})
