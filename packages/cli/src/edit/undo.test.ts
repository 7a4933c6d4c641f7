// Undo restores the same bytes and the same tree, whatever was there before.

import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { addEntries, type NewEntry } from '../init/hooks-file.js'
import { home as homeOption, root as rootOption } from '../option-sections.js'
import { workspaceOf } from '../workspace.js'
import { type Change, creation, fileAt, modeFor, targetOf } from './change.js'
import { carryOut, forget, journalFolder, stored } from './journal.js'
import { openDocument } from './jsonc.js'
import { commentsOf, written } from './testing/written.js'
import { fatesOf, takeBack } from './undo.js'
import { replace } from './write.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-undo-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let places = 0
function newPlace() {
  const root = join(base, String(places++))
  const home = join(root, 'home')
  const shop = join(root, 'shop')
  mkdirSync(home, { recursive: true })
  mkdirSync(shop)
  const given = parse('init', ['--root', shop, '--home', home], { root: rootOption, home: homeOption })
  return { shop, journal: journalFolder(home, shop), workspace: workspaceOf(given) }
}

const put = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

/** Every file and folder with its kind, mode and bytes. */
const treeOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map(path => {
      const stats = lstatSync(path)
      const content = stats.isFile() ? readFileSync(path).toString('latin1') : ''
      return `${relative(folder, path)} ${stats.mode.toString(8)} ${content}`
    })

const entries: NewEntry[] = [
  { event: 'stop', entry: { command: '.cursor/hooks/guard.sh', loop_limit: 1 } },
  { event: 'beforeShellExecution', entry: { command: '.cursor/hooks/guard.sh', failClosed: true } },
]

async function initialise({ shop, journal, workspace }: ReturnType<typeof newPlace>, added = entries) {
  const hooks = await addEntries(join(shop, '.cursor/hooks.json'), added, 'x', workspace)
  const script = creation(join(shop, `.cursor/hooks/${added.length}.sh`), '#!/bin/sh\necho {}\n')
  const changes = hooks.change ? [script, hooks.change] : [script]
  return carryOut(journal, 'init', changes, hooks.change ? [hooks.change.path] : [])
}

function undoLast({ journal }: ReturnType<typeof newPlace>) {
  const last = stored(journal).at(-1)!
  const left = takeBack(last, fatesOf(last))
  forget(last)
  return left
}

describe('init and undo', () => {
  it('give the same bytes and the same tree, whatever hooks.json was', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(written(), fc.constantFrom(0o644, 0o600, 0o664), async ({ text }, mode) => {
        const place = newPlace()
        const file = join(place.shop, '.cursor/hooks.json')
        put(file, text)
        chmodSync(file, mode)
        const before = treeOf(place.shop)
        await initialise(place)
        const after = readFileSync(file, 'utf8')
        expect(after).not.toBe(text)
        expect(statSync(file).mode & 0o777).toBe(mode)
        expect(commentsOf(after)).toEqual(commentsOf(text))
        expect(openDocument(after)).toHaveProperty('root')
        expect(undoLast(place)).toEqual([])
        expect(treeOf(place.shop)).toEqual(before)
        rmSync(join(place.shop, '..'), { recursive: true })
      }),
      { numRuns: 60 },
    )
  })

  it('leave nothing in an empty folder', async () => {
    const place = newPlace()
    await initialise(place)
    expect(statSync(join(place.shop, '.cursor/hooks/2.sh')).mode & 0o111).not.toBe(0)
    undoLast(place)
    expect(treeOf(place.shop)).toEqual([])
  })

  it('keep what they need to be undone from others', async () => {
    const place = newPlace()
    put(join(place.shop, '.cursor/hooks.json'), '{ "version": 1, "hooks": {} }')
    await initialise(place)
    const names = readdirSync(place.journal)
    expect(names).toEqual(['000001.json'])
    expect(statSync(join(place.journal, names[0]!)).mode & 0o777).toBe(0o600)
    for (const folder of [place.journal, join(place.journal, '..')])
      expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('stack: the last goes first', async () => {
    const place = newPlace()
    await initialise(place, entries.slice(0, 1))
    const first = treeOf(place.shop)
    await initialise(place)
    undoLast(place)
    expect(treeOf(place.shop)).toEqual(first)
    undoLast(place)
    expect(treeOf(place.shop)).toEqual([])
  })

  it('leave what somebody changed since', async () => {
    const place = newPlace()
    const job = await initialise(place)
    const script = join(place.shop, '.cursor/hooks/2.sh')
    writeFileSync(script, 'mine')
    expect(fatesOf(job).map(({ fate }) => fate)).toEqual(['changed', 'removed'])
    expect(undoLast(place)).toEqual([join(place.shop, '.cursor/hooks'), join(place.shop, '.cursor')])
    expect(readFileSync(script, 'utf8')).toBe('mine')
    expect(existsSync(join(place.shop, '.cursor/hooks.json'))).toBe(false)
  })

  it('know what is as it was already', async () => {
    const place = newPlace()
    put(join(place.shop, '.cursor/hooks.json'), '{"hooks":{}}')
    const job = await initialise(place)
    writeFileSync(join(place.shop, '.cursor/hooks.json'), '{"hooks":{}}')
    rmSync(join(place.shop, '.cursor/hooks'), { recursive: true })
    expect(fatesOf(job).map(({ fate }) => fate)).toEqual(['gone', 'gone'])
    expect(undoLast(place)).toEqual([])
  })

  it('take what Python compiled along, and nothing else', async () => {
    const place = newPlace()
    await initialise(place)
    put(join(place.shop, '.cursor/hooks/__pycache__/a.cpython-311.pyc'), '')
    undoLast(place)
    expect(treeOf(place.shop)).toEqual([])
    await initialise(place)
    put(join(place.shop, '.cursor/hooks/__pycache__/notes.txt'), '')
    expect(undoLast(place)).toHaveLength(2)
    expect(existsSync(join(place.shop, '.cursor/hooks/__pycache__/notes.txt'))).toBe(true)
  })
})

describe('a job that was killed', () => {
  it('is undone with what it had begun to write', async () => {
    const place = newPlace()
    put(join(place.shop, '.cursor/hooks.json'), '{"hooks":{}}')
    const before = treeOf(place.shop)
    await initialise(place)
    put(join(place.shop, '.cursor/hooks.json'), '{"hooks":{}}')
    put(join(place.shop, '.cursor/.holdfast-0123456789ab.tmp'), '{"hooks"')
    put(join(place.shop, '.cursor/hooks/.holdfast-0123456789ab.tmp'), '#!')
    expect(undoLast(place)).toEqual([])
    expect(treeOf(place.shop)).toEqual(before)
  })
})

describe('a hooks.json that is a link', () => {
  it('stays one, and what it leads to is changed and restored', async () => {
    const place = newPlace()
    const real = join(place.shop, 'dotfiles/hooks.json')
    const file = join(place.shop, '.cursor/hooks.json')
    put(real, '{ "hooks": {} } // mine\n')
    mkdirSync(join(place.shop, '.cursor'))
    symlinkSync('../dotfiles/hooks.json', file)
    await initialise(place)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('guard.sh')
    undoLast(place)
    expect(readFileSync(real, 'utf8')).toBe('{ "hooks": {} } // mine\n')
  })

  it('may lead to a file that does not exist yet, but not in a circle', async () => {
    const place = newPlace()
    mkdirSync(join(place.shop, '.cursor'))
    const file = join(place.shop, '.cursor/hooks.json')
    symlinkSync('../later.json', file)
    await initialise(place)
    expect(readFileSync(join(place.shop, 'later.json'), 'utf8')).toContain('guard.sh')
    undoLast(place)
    expect(existsSync(join(place.shop, 'later.json'))).toBe(false)
    rmSync(file)
    symlinkSync('hooks.json', file)
    expect(() => targetOf(file)).toThrow('circular')
  })
})

describe('a write that fails', () => {
  it('leaves everything as it was', () => {
    const place = newPlace()
    put(join(place.shop, 'kept.json'), 'old')
    put(join(place.shop, 'in-the-way'), '')
    const before = treeOf(place.shop)
    const changes: Change[] = [
      creation(join(place.shop, 'a/b/new.sh'), '#!/bin/sh\n'),
      {
        path: join(place.shop, 'kept.json'),
        before: fileAt(join(place.shop, 'kept.json'))!,
        after: Buffer.from('new'),
        mode: 0o644,
      },
      creation(join(place.shop, 'in-the-way/c'), 'x'),
    ]
    expect(() => carryOut(place.journal, 'init', changes, [])).toThrow('Everything was restored.')
    expect(treeOf(place.shop)).toEqual(before)
    expect(stored(place.journal)).toEqual([])
  })

  it('does not write over what came while the plan was read', () => {
    const place = newPlace()
    const kept = join(place.shop, 'kept.json')
    const late = join(place.shop, 'late.sh')
    put(kept, 'old')
    const change: Change = { path: kept, before: fileAt(kept)!, after: Buffer.from('new'), mode: 0o644 }
    const changes = [creation(join(place.shop, 'a/new.sh'), '#!/bin/sh\n'), creation(late, 'ours'), change]
    put(kept, 'saved meanwhile')
    expect(() => carryOut(place.journal, 'init', changes, [])).toThrow(`${kept} was changed meanwhile`)
    expect(treeOf(place.shop)).toEqual([expect.stringMatching(/^kept\.json \d+ saved meanwhile$/)])
    put(kept, 'old')
    put(late, 'theirs')
    expect(() => carryOut(place.journal, 'init', changes, [])).toThrow(`${late} was created meanwhile`)
    expect(readFileSync(late, 'utf8')).toBe('theirs')
    expect(readFileSync(kept, 'utf8')).toBe('old')
    expect(existsSync(join(place.shop, 'a'))).toBe(false)
    expect(stored(place.journal)).toEqual([])
  })

  it('writes nothing when the way back cannot be kept', () => {
    const place = newPlace()
    put(join(place.journal, '..', '..'), 'a file where a folder should be')
    const change = creation(join(place.shop, 'new'), 'x')
    expect(() => carryOut(place.journal, 'init', [change], [])).toThrow('Nothing was written.')
    expect(treeOf(place.shop)).toEqual([])
  })
})

describe('hooks.json', () => {
  const refused = async (text: string | Buffer) => {
    const place = newPlace()
    const file = join(place.shop, '.cursor/hooks.json')
    mkdirSync(join(place.shop, '.cursor'))
    writeFileSync(file, text)
    const words = await addEntries(file, entries, 'x', place.workspace).then(
      () => 'taken',
      (error: Error) => error.message,
    )
    expect(Buffer.from(text).equals(readFileSync(file))).toBe(true)
    return words.replace(file, 'hooks.json')
  }

  it.each([
    ['{\n  "hooks": {\n', /^hooks\.json:\d+:\d+ .*Nothing was written\.$/],
    ['', /^hooks\.json:1:1 .*Nothing was written\.$/],
    ['// words only\n', /^hooks\.json:\d+:\d+ .*Nothing was written\.$/],
    ['[]', /^hooks\.json:1:1 .*Nothing was written\.$/],
    ['{ "hooks": [] }', /^hooks\.json:1:12 .*Nothing was written\.$/],
    ['{ "hooks": { "stop": {} } }', /^hooks\.json:1:22 "stop" is not an array.*Nothing was written\.$/],
    ['{ "version": "x", "hooks": {} }', /^hooks\.json:1:14 .*Nothing was written\.$/],
  ])('that is %j is refused with its place', async (text, words) =>
    expect(await refused(text)).toMatch(words),
  )

  it('that is not UTF-8 is refused', async () => {
    const bytes = Buffer.from('{ "hooks": {} } // \xe9', 'latin1')
    expect(await refused(bytes)).toMatch(/UTF-8.*Nothing was written\.$/)
    expect(await refused(Buffer.from('\uFEFF{}', 'utf16le'))).toMatch(/Nothing was written\.$/)
  })

  it('is not changed when all is there already', async () => {
    const place = newPlace()
    await initialise(place)
    const again = await addEntries(join(place.shop, '.cursor/hooks.json'), entries, 'x', place.workspace)
    expect(again).toEqual({ change: undefined, diff: [], added: [] })
  })
})

it('scripts are executable by their first letters', () => {
  expect(modeFor(Buffer.from('#!/bin/sh'))).toBe(0o755)
  expect(modeFor(Buffer.from('# !'))).toBe(0o644)
})

it('does not write through a link at its temporary name', () => {
  const { shop } = newPlace()
  const [file, victim] = [join(shop, 'hooks.json'), join(shop, 'victim')]
  put(file, 'before')
  put(victim, 'mine')
  const { writeFileSync: write } = fs
  let links = 0
  fs.writeFileSync = (path, ...rest) => {
    if (links++ === 0) symlinkSync(victim, path as string)
    return write(path, ...rest)
  }
  syncBuiltinESMExports()
  try {
    expect(() => replace(file, Buffer.from('after'), 0o644)).toThrow('EEXIST')
  } finally {
    fs.writeFileSync = write
    syncBuiltinESMExports()
  }
  expect(links).toBe(1)
  expect([readFileSync(file, 'utf8'), readFileSync(victim, 'utf8')]).toEqual(['before', 'mine'])
})
