// The gates of a session are pinned when they are first seen. A gate that is removed, weakened or changed later still
// stops the events that it would have judged, until the user accepts the change with `holdfast trust`.

import { dirname, join } from 'node:path'
import { ageless, currentStamp, listFolder, NO_FILE, readFile, readText, realPath } from '../config/file.js'
import { matcherText } from '../config/matcher.js'
import type { Catalog, HookDefinition, Layer, SourceKind } from '../protocol/config.js'
import type { EventName } from '../protocol/events.js'
import { filesOfCommand } from './protected-paths.js'
import { GATES, isObject } from './types.js'

export interface Pin {
  readonly source: SourceKind
  readonly file: string
  readonly root: string
  readonly event: EventName
  readonly name: string
  /** What runs, as JSON. */
  readonly action: string
  /** Empty: all. Null: it cannot be compiled, so the gate judges all events. */
  readonly matcher: string | null
  readonly timeoutMs: number
  readonly failClosed: boolean
  /** Of hooks that need trust or a signature; it covers their files. Otherwise empty. */
  readonly fingerprint: string
  /** The files that the command names, if no fingerprint covers them. */
  readonly files: readonly PinnedFile[]
}

interface PinnedFile {
  readonly path: string
  readonly stamp: string
  /** Empty for a file that is too large to be read at each change of its stamp. */
  readonly sha256: string
}

/** By the key of the definition. */
export type Pins = Readonly<Record<string, Pin>>

export interface LostPin {
  readonly key: string
  readonly pin: Pin
  /** What happened to it, for the user. */
  readonly reason: string
}

const PINNED: ReadonlySet<EventName> = new Set(Object.values(GATES).flat())

const isGate = ({ mode, trusted, event, matcher, file }: HookDefinition): boolean =>
  mode === 'enforce' && trusted && file !== null && PINNED.has(event) && matcher.kind !== 'never'

const gatesOf = ({ layers }: Catalog): HookDefinition[] => layers.flatMap(layer => layer.hooks.filter(isGate))

/** The pins of a session with its current gates. The same object if nothing changed. */
export async function withCurrent(pins: Pins, catalog: Catalog, home: string): Promise<Pins> {
  const added = gatesOf(catalog).filter(gate => !Object.hasOwn(pins, keyOf(gate)))
  if (added.length === 0) return pins
  const all: Record<string, Pin> = { ...pins }
  for (const gate of added) all[keyOf(gate)] = await pinOf(gate, home)
  return all
}

/** Whether the pins were taken of gates that judge one of these events. */
export const hasPinned = (pins: Pins, events: readonly EventName[]): boolean =>
  Object.values(pins).some(pin => events.includes(pin.event))

export interface Compared {
  readonly lost: readonly LostPin[]
  /** Without the pins that a signed release replaced, and with the current stamps of equal files. */
  readonly pins: Pins
}

/** Reads a file only if its stamp changed. */
export async function comparePins(pins: Pins, catalog: Catalog): Promise<Compared> {
  const gates = gatesOf(catalog)
  const keys = new Set(gates.map(keyOf))
  const lost: LostPin[] = []
  const kept: Record<string, Pin> = {}
  let isSame = true
  for (const [key, pin] of Object.entries(pins)) {
    const layer = layerOf(pin, catalog)
    const isThere = keys.has(key) || gates.some(gate => replaces(gate, pin))
    if (!isThere && layer?.state === 'loaded' && layer.team?.isVerified) {
      isSame = false
      continue
    }
    const files = isThere ? await compareFiles(pin.files) : pin.files
    const reason = typeof files === 'string' ? files : isThere ? undefined : reasonFor(pin, layer)
    if (reason !== undefined) lost.push({ key, pin, reason })
    const isStamped = typeof files === 'string' || files === pin.files
    kept[key] = isStamped ? pin : { ...pin, files }
    isSame &&= isStamped
  }
  return { lost, pins: isSame ? pins : kept }
}

/** A hook is the same gate in a worktree that has the trust of its main worktree. */
const keyOf = (hook: HookDefinition): string =>
  hook.fingerprint !== ''
    ? `${hook.fingerprint} ${realPath(hook.trustRoot ?? hook.root)}`
    : JSON.stringify([
        hook.file,
        hook.event,
        actionOf(hook),
        matcherOf(hook),
        hook.timeoutMs,
        hook.failClosed === true,
      ])

const actionOf = ({ type, command, prompt, model }: HookDefinition): string =>
  JSON.stringify([type, command, prompt, model])

/**
 * The file of a gate that was changed since the pins were compared; those of lost pins deny anyway. Another program may
 * exchange a script for the moment in which it starts, and put it back. That changes its stamp, though not its content.
 */
export function changedSince(pins: Pins, lost: readonly string[], catalog: Catalog): string | undefined {
  const kept = Object.entries(pins).flatMap(([key, pin]) => (lost.includes(key) ? [] : pin.files))
  const covered = gatesOf(catalog).flatMap(({ scripts, fingerprint }) => (fingerprint === '' ? [] : scripts))
  return [...kept, ...covered].find(({ path, stamp }) => currentStamp(path) !== ageless(stamp))?.path
}

const matcherOf = ({ matcher }: HookDefinition): string | null =>
  matcher.kind === 'invalid' ? null : matcherText(matcher)

/** The same action that judges at least as much, and at least as strictly. */
const replaces = (hook: HookDefinition, pin: Pin): boolean =>
  pin.fingerprint === '' &&
  hook.file === pin.file &&
  hook.event === pin.event &&
  actionOf(hook) === pin.action &&
  (matcherOf(hook) === '' || matcherOf(hook) === pin.matcher) &&
  hook.timeoutMs >= pin.timeoutMs &&
  (hook.failClosed === true || !pin.failClosed)

/** For messages; the command may be a program of its own. */
const LONGEST_NAME = 80

async function pinOf(hook: HookDefinition, home: string): Promise<Pin> {
  const { source, file, root, event, name, timeoutMs, failClosed = false, fingerprint } = hook
  const paths = fingerprint === '' ? namedFiles(hook, home) : []
  return {
    source,
    file: file!,
    root,
    event,
    name: name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name,
    action: actionOf(hook),
    matcher: matcherOf(hook),
    timeoutMs,
    failClosed,
    fingerprint,
    files: await Promise.all(paths.map(pinFile)),
  }
}

/** A hook may write these at each run. */
const WRITTEN = /\.(?:log|jsonl|ndjson|db|sqlite3?|db-wal|csv|tmp|lock|pid|out|err)$/i

/** Programs of the machine change with its updates. */
const SYSTEM = /^(?:\/usr|\/bin|\/sbin|\/lib\w*|\/opt\/homebrew|\/nix)\//

function namedFiles({ command, cwd, root, scripts }: HookDefinition, home: string): string[] {
  const named = command === undefined ? [] : filesOfCommand(command, cwd, root, home)
  const own = [...new Set([...scripts.map(({ path }) => path), ...named])].filter(
    path => !SYSTEM.test(path) && !WRITTEN.test(path),
  )
  return [...new Set([...own, ...own.flatMap(loadedFiles)])]
}

const CODE = /\.(?:sh|bash|zsh|py|[cm]?js|[cm]?ts|rb|pl|php|lua)$/i
const LARGEST_SCRIPT = 256 * 1024

/** The code beside a script that its text names: it loads them, and they decide with it. */
function loadedFiles(script: string): string[] {
  const text = readText(script, LARGEST_SCRIPT) ?? ''
  const folder = dirname(script)
  return listFolder(folder)
    .filter(name => CODE.test(name) && text.includes(name.replace(CODE, '')))
    .map(name => join(folder, name))
    .filter(path => path !== script)
}

const LARGEST = 4 * 1024 * 1024

/** The stamp is taken first: a file that changes while it is read then has another one. */
async function pinFile(path: string): Promise<PinnedFile> {
  const stamp = currentStamp(path)
  const read = readFile(path, LARGEST)
  if (read.kind !== 'read') return { path, stamp, sha256: '' }
  const { createHash } = await import('node:crypto')
  return { path, stamp, sha256: createHash('sha256').update(read.bytes).digest('hex') }
}

/** The files with their current stamps, or the reason why one is not the same. */
async function compareFiles(files: readonly PinnedFile[]): Promise<readonly PinnedFile[] | string> {
  if (files.every(({ path, stamp }) => currentStamp(path) === stamp)) return files
  const current: PinnedFile[] = []
  for (const before of files) {
    const now = await pinFile(before.path)
    if (now.stamp === NO_FILE) return `${before.path} was removed`
    const isSame = now.stamp === before.stamp || (now.sha256 !== '' && now.sha256 === before.sha256)
    if (!isSame) return `${before.path} was changed`
    current.push(now)
  }
  return current
}

const layerOf = ({ file, source }: Pin, { layers }: Catalog): Layer | undefined =>
  layers.find(layer => layer.source.file === file && layer.source.kind === source)

function reasonFor(pin: Pin, layer: Layer | undefined): string {
  const { file } = pin
  if (!layer) return `${file} is not read any more, because its folder is not open`
  if (layer.state === 'absent') return `${file} was removed`
  if (layer.state === 'failed') {
    const {
      line = 0,
      column = 0,
      message = '',
    } = layer.issues.find(({ severity }) => severity === 'error') ?? {}
    const place = line > 0 ? `:${line}:${column}` : ''
    return `${file}${place} cannot be loaded. ${message.replace(/\.$/, '')}`
  }
  const same = layer.hooks.find(hook => hook.event === pin.event && actionOf(hook) === pin.action)
  if (same && !same.trusted) return 'the hook or one of its files was changed, so it is not trusted any more'
  return same ? `its entry in ${file} was changed` : `its entry in ${file} was removed or changed`
}

export const isPins = (value: unknown): value is Pins =>
  isObject(value) &&
  Object.values(value).every(
    pin =>
      isObject(pin) &&
      ['source', 'file', 'root', 'event', 'name', 'action', 'fingerprint'].every(
        key => typeof pin[key] === 'string',
      ) &&
      (pin.matcher === null || typeof pin.matcher === 'string') &&
      typeof pin.timeoutMs === 'number' &&
      typeof pin.failClosed === 'boolean' &&
      Array.isArray(pin.files) &&
      pin.files.every(
        file => isObject(file) && ['path', 'stamp', 'sha256'].every(key => typeof file[key] === 'string'),
      ),
  )
