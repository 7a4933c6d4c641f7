// The hooks.json files that users write: read, checked and saved. A page names a source, never a path.

import { createHash } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Code } from '@connectrpc/connect'
import { inspectFile } from '@holdfast/hooks'
import type { Source } from '@holdfast/hooks/protocol'
import { lintLayer } from '../check/lint.js'
import { type Before, fileAt, targetOf } from '../edit/change.js'
import { missingFolders, writeAll } from '../edit/write.js'
import { shortPath } from '../print/place.js'
import { isEditable, sourceId, staysInside } from './hooks/sources.js'
import type { Panel } from './panel.js'
import { type ProblemShape, toProblem } from './problems.js'
import { notThere, refusal, wrong } from './refusals.js'
import { fileSchema } from './schemas.js'

const LARGEST = 4 * 1024 * 1024

export async function getFile(panel: Panel, id: string) {
  const source = await sourceNamed(panel, id)
  const shown = shortPath(source.file, panel.workspace.screen)
  const before = fileAt(source.file)
  const about = { shown, schemaJson: fileSchema() }
  if (!before) return { ...about, text: '', hash: '', problems: [] }
  const text = textOf(before, shown)
  return { ...about, text, hash: hashOf(before), problems: await check(panel, source, text) }
}

export async function checkFile(panel: Panel, id: string, text: string) {
  return { problems: await check(panel, await sourceNamed(panel, id), text) }
}

export async function saveFile(
  panel: Panel,
  { sourceId: id, text, baseHash }: { sourceId: string; text: string; baseHash: string },
) {
  const source = await sourceNamed(panel, id)
  const shown = shortPath(source.file, panel.workspace.screen)
  if (!isEditable(source)) {
    throw refusal(
      Code.PermissionDenied,
      `${shown} cannot be edited here: ${OWNERS[source.kind] ?? 'it belongs to another program'}.`,
    )
  }
  const after = Buffer.from(text)
  if (after.length > LARGEST) throw wrong(`${shown} would be larger than 4 MiB.`)
  const before = fileAt(source.file) ?? null
  if (hashOf(before) !== baseHash) throw changed(shown)
  const change = { path: targetOf(source.file), before, after, mode: before?.mode ?? 0o644 }
  try {
    writeAll([change], missingFolders([change]))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (/meanwhile/.test(message)) throw changed(shown)
    const why =
      code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'its folder is not writable' : message
    throw refusal(Code.FailedPrecondition, `${shown} could not be saved: ${why}. Nothing was changed.`)
  }
  await panel.engine.reload()
  return { hash: hashOf({ bytes: after }), problems: await check(panel, source, text) }
}

const OWNERS: Readonly<Partial<Record<Source['kind'], string>>> = {
  enterprise: 'the administrators of this machine set it up',
  team: 'the team server delivers it',
  plugin: 'it belongs to a plugin',
}

const changed = (shown: string) =>
  refusal(Code.Aborted, `${shown} was changed since you started to edit it. Compare the two first.`)

async function sourceNamed(panel: Panel, id: string): Promise<Source> {
  const source = (await panel.look()).layers.map(layer => layer.source).find(each => sourceId(each) === id)
  if (!source) throw notThere('This source no longer exists.')
  if (source.format !== 'hooks') {
    throw refusal(Code.PermissionDenied, 'This file is not a hooks.json, so it is not shown here.')
  }
  if (!staysInside(source)) {
    const shown = shortPath(source.file, panel.workspace.screen)
    throw refusal(
      Code.PermissionDenied,
      `${shown} is a link that leads out of the project, so it is not shown here.`,
    )
  }
  return source
}

function textOf(before: Before, shown: string): string {
  if (before.bytes.length > LARGEST) throw refusal(Code.FailedPrecondition, `${shown} is larger than 4 MiB.`)
  const text = before.bytes.toString('utf8')
  // A file that cannot be written back unchanged must not be edited.
  if (Buffer.from(text).equals(before.bytes)) return text
  throw refusal(Code.FailedPrecondition, `${shown} is not UTF-8. Save it as UTF-8 in an editor first.`)
}

const hashOf = (before: Pick<Before, 'bytes'> | null): string =>
  before ? createHash('sha256').update(before.bytes).digest('hex') : ''

/** The checks of `holdfast check`, on a private copy. */
async function check({ options }: Panel, source: Source, text: string): Promise<ProblemShape[]> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-check-'))
  const copy = join(folder, 'hooks.json')
  try {
    writeFileSync(copy, text, { mode: 0o600 })
    const { kind, cwd, root = dirname(source.file) } = source
    const { issues } = lintLayer(await inspectFile(copy, options, { root, cwd, kind }), options)
    return issues.map(issue => toProblem({ ...issue, file: source.file }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
