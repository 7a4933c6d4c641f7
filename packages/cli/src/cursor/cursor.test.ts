// Hooks go into Cursor's files and out again: the same bytes and the same tree, whatever was there before.

import {
  chmodSync,
  existsSync,
  lstatSync,
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
import { dirname, join, relative } from 'node:path'
import * as fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { afterAll, describe, expect, it } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import { stored } from '../edit/journal.js'
import { commentsOf, written } from '../edit/testing/written.js'
import type { NewEntry } from '../init/hooks-file.js'
import { applyPlan } from './apply.js'
import { filesIn } from './files.js'
import { targetAt } from './place.js'
import { isNothing, planFor } from './plan.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-cursor-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let places = 0
function newPlace(level: 'user' | 'enterprise' = 'user') {
  const root = join(base, String(places++))
  const folder = join(root, level === 'user' ? 'home/.cursor' : 'etc/cursor')
  mkdirSync(join(root, 'home'), { recursive: true })
  mkdirSync(join(root, 'etc'))
  return { root, folder, target: targetAt(level, join(folder, 'hooks.json'), join(root, 'home')) }
}
type Place = ReturnType<typeof newPlace>

const put = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** Every file and folder with its kind, mode and bytes; the journal of the home is not Cursor's. */
const treeOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .filter(path => !relative(folder, path).startsWith('home/.holdfast'))
    .sort()
    .map(path => {
      const stats = lstatSync(path)
      const content = stats.isFile() ? readFileSync(path).toString('latin1') : ''
      return `${relative(folder, path)} ${stats.mode.toString(8)} ${content}`
    })

const pack = (name: string, scripts: Record<string, string>, extra: readonly NewEntry[] = []) => ({
  name,
  from: `/projects/${name}/.cursor/hooks.json`,
  entries: [
    ...Object.keys(scripts).map(file => ({ event: 'stop', entry: { command: `hooks/${name}/${file}` } })),
    ...extra,
  ],
  files: Object.entries(scripts).map(([file, text]) => ({
    name: file,
    bytes: Buffer.from(text),
    mode: text.startsWith('#!') ? 0o755 : 0o644,
  })),
})
const inline: NewEntry = { event: 'preToolUse', entry: { command: "echo '{}'", matcher: 'Shell' } }
const SHOP = pack('shop', { 'guard.sh': '#!/bin/sh\necho {}\n', 'deep/words.js': '' }, [inline])
const BLOG = pack('blog', { 'last.py': 'print("{}")\n' }, [inline])

const install = ({ target }: Place, one: typeof SHOP) => {
  const plan = planFor(target, { pack: one }, 'x')
  applyPlan(plan)
  return plan
}
const uninstall = ({ target }: Place, ...gone: string[]) => applyPlan(planFor(target, { gone }, 'x'))
const textIn = ({ target }: Place) => readFileSync(target.hooksFile, 'utf8')
const commandsIn = (place: Place) =>
  Object.values(parse(textIn(place)).hooks as Record<string, { command: string }[]>)
    .flat()
    .map(({ command }) => command)

describe('install and uninstall', () => {
  const prior = fc.record({
    file: written(),
    exists: fc.boolean(),
    mode: fc.constantFrom(0o644, 0o600, 0o664),
    other: fc.boolean(),
    level: fc.constantFrom('user' as const, 'enterprise' as const),
  })
  const steps = fc.array(fc.constantFrom('shop', 'blog', 'shop again', '-shop', '-blog'), { maxLength: 5 })
  const AGAIN = pack('shop', { 'guard.sh': '#!/bin/sh\nexit 2\n', 'new.sh': '#!/bin/sh\n' })
  const PACKS: Record<string, typeof SHOP> = { shop: SHOP, blog: BLOG, 'shop again': AGAIN }

  it('leave every byte as it was, in whatever order', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(prior, steps, ({ file, exists, mode, other, level }, order) => {
        const place = newPlace(level)
        if (exists) put(place.target.hooksFile, file.text, mode)
        if (other) put(join(place.folder, 'hooks/mine.sh'), '#!/bin/sh\n', 0o755)
        const before = treeOf(place.root)
        for (const step of order) {
          if (step.startsWith('-')) uninstall(place, step.slice(1))
          else install(place, PACKS[step]!)
        }
        const last = install(place, SHOP)
        expect(commentsOf(textIn(place))).toEqual(exists ? commentsOf(file.text) : [])
        expect(commandsIn(place)).toEqual(expect.arrayContaining(['hooks/shop/guard.sh']))
        // A second time there is nothing to do.
        const text = textIn(place)
        expect(isNothing(planFor(place.target, { pack: SHOP }, 'x'))).toBe(true)
        uninstall(place, ...last.packs.map(({ name }) => name))
        expect(treeOf(place.root)).toEqual(before)
        expect(stored(place.target.journal)).toEqual([])
        expect(text).not.toBe(exists ? file.text : '')
        rmSync(place.root, { recursive: true })
      }),
      { numRuns: randomRuns(150) },
    )
  })

  it('take only what is ours out of a file that was changed since', () => {
    fc.assert(
      fc.property(written(), written(), ({ text }, { value }) => {
        const place = newPlace()
        put(place.target.hooksFile, text)
        install(place, SHOP)
        const now = parse(textIn(place))
        // As a person would: their own entries around ours, in a layout of their own.
        const mine = (value.hooks ?? {}) as Record<string, unknown[]>
        const lists = { ...now.hooks }
        for (const [event, list] of Object.entries(mine)) lists[event] = [...list, ...(lists[event] ?? [])]
        put(place.target.hooksFile, JSON.stringify({ ...now, hooks: lists, note: 'mine' }, null, 4))
        uninstall(place, 'shop')
        const rest = parse(textIn(place))
        const had = (parse(text).hooks ?? {}) as Record<string, unknown[]>
        for (const event of new Set([...Object.keys(had), ...Object.keys(mine)])) {
          expect(rest.hooks[event] ?? []).toEqual([...(mine[event] ?? []), ...(had[event] ?? [])])
        }
        expect(rest.note).toBe('mine')
        expect(existsSync(join(place.folder, 'hooks'))).toBe(false)
        rmSync(place.root, { recursive: true })
      }),
      { numRuns: randomRuns(60) },
    )
  })
})

describe('installed again', () => {
  it('a changed script is updated, and one that is gone goes', () => {
    const place = newPlace()
    install(place, SHOP)
    install(place, pack('shop', { 'guard.sh': '#!/bin/sh\nexit 2\n' }))
    expect(readFileSync(join(place.folder, 'hooks/shop/guard.sh'), 'utf8')).toContain('exit 2')
    expect(existsSync(join(place.folder, 'hooks/shop/deep'))).toBe(false)
    expect(commandsIn(place)).toEqual(['hooks/shop/guard.sh'])
    expect(stored(place.target.journal)).toHaveLength(1)
  })

  it('a change of an entry by the user stays as long as the project does not change it', () => {
    const place = newPlace()
    install(place, SHOP)
    put(place.target.hooksFile, textIn(place).replace('guard.sh"', 'guard.sh", "timeout": 7'))
    expect(isNothing(planFor(place.target, { pack: SHOP }, 'x'))).toBe(true)
    const slower = {
      ...SHOP,
      entries: SHOP.entries.map(one => ({ ...one, entry: { ...one.entry, timeout: 9 } })),
    }
    install(place, slower)
    expect(textIn(place)).not.toContain('7')
    expect(commandsIn(place)).toHaveLength(3)
    uninstall(place, 'shop')
    expect(commandsIn(place)).toEqual([])
  })

  it('entries that the user had before stay', () => {
    const place = newPlace()
    put(place.target.hooksFile, JSON.stringify({ hooks: { preToolUse: [inline.entry] } }))
    install(place, SHOP)
    put(place.target.hooksFile, `${textIn(place)}\n// later\n`)
    uninstall(place, 'shop')
    expect(parse(textIn(place)).hooks).toEqual({ preToolUse: [inline.entry] })
  })

  it('a hooks.json that was deleted meanwhile comes back, and goes without a trace', () => {
    const place = newPlace()
    put(place.target.hooksFile, '{ "hooks": {} }')
    install(place, SHOP)
    rmSync(place.target.hooksFile)
    install(place, SHOP)
    expect(commandsIn(place)).toHaveLength(3)
    uninstall(place, 'shop')
    expect(treeOf(place.root)).toEqual(
      ['etc', 'home', 'home/.cursor'].map(name => expect.stringContaining(name)),
    )
  })

  it('a job that was cut off after its record is done the next time', () => {
    const place = newPlace()
    put(place.target.hooksFile, '{ "hooks": {} } // mine')
    const before = treeOf(place.root)
    install(place, SHOP)
    const [old] = stored(place.target.journal)
    install(place, BLOG)
    // As if the second had died before its first change: both records are there, the files are those of the first.
    put(old!.file, JSON.stringify(old!.entry))
    put(place.target.hooksFile, '{ "hooks": {} } // mine')
    rmSync(join(place.folder, 'hooks'), { recursive: true })
    install(place, SHOP)
    expect(stored(place.target.journal)).toHaveLength(1)
    uninstall(place, 'shop', 'blog')
    expect(treeOf(place.root)).toEqual(before)
  })
})

describe('files of others', () => {
  it.each([
    ['with other content', '#!/bin/sh\n', 0o755, 'exists and has other content'],
    ['that cannot be started', '#!/bin/sh\necho {}\n', 0o644, 'exists and cannot be started'],
  ])('%s are in the way', (_, text, mode, why) => {
    const place = newPlace()
    put(join(place.folder, 'hooks/shop/guard.sh'), text, mode)
    const before = treeOf(place.root)
    expect(() => install(place, SHOP)).toThrow(why)
    expect(treeOf(place.root)).toEqual(before)
  })

  it('with the same content are used, and stay', () => {
    const place = newPlace()
    put(join(place.folder, 'hooks/shop/guard.sh'), '#!/bin/sh\necho {}\n', 0o755)
    const before = treeOf(place.root)
    install(place, SHOP)
    uninstall(place, 'shop')
    expect(treeOf(place.root)).toEqual(before)
  })

  it('that somebody made of ours are neither overwritten nor removed', () => {
    const place = newPlace()
    install(place, SHOP)
    const script = join(place.folder, 'hooks/shop/guard.sh')
    put(script, '#!/bin/sh\n# better\n', 0o755)
    expect(() => install(place, SHOP)).toThrow('was changed since holdfast put it there')
    expect(uninstall(place, 'shop').at(0)).toBe(join(place.folder, 'hooks/shop'))
    expect(readFileSync(script, 'utf8')).toContain('better')
  })
})

describe('the files of a project', () => {
  it('come with their execute bits, without tests and leftovers', () => {
    const folder = join(base, 'files')
    for (const name of [
      'lib/a.py',
      'lib/__pycache__/a.pyc',
      'guard.hooks-test.yaml',
      'audit.jsonl',
      'x.log',
    ]) {
      put(join(folder, name), name)
    }
    put(join(folder, 'guard'), '#!/bin/sh\n', 0o700)
    symlinkSync('guard', join(folder, 'same'))
    expect(filesIn(folder).map(({ name, mode }) => [name, mode])).toEqual([
      ['guard', 0o755],
      ['lib/a.py', 0o644],
      ['same', 0o755],
    ])
    symlinkSync('/etc/hostname', join(folder, 'out'))
    expect(() => filesIn(folder)).toThrow('cannot be copied: it is a link to /etc/hostname')
  })
})
