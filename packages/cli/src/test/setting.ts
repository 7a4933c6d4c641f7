// The state before a case begins: variables, files, and responses of a model.

import type { PromptReply } from '@holdfast/hooks/protocol'
import { isScalar } from 'yaml'
import type { Files, Setting } from './cases.js'
import { insidePath } from './paths.js'
import type { TestSource, Tree } from './yaml.js'

export const NOTHING: Setting = { env: {}, files: new Map(), model: undefined }

export function readSetting(
  source: TestSource,
  env: Tree,
  files: Tree,
  model: Tree,
  around: Setting,
): Setting {
  return {
    env: source.isNull(env) ? around.env : { ...around.env, ...readEnv(source, env) },
    files: source.isNull(files)
      ? around.files
      : new Map([...around.files, ...readFileTexts(source, files, 'files')]),
    model: readModel(source, model) ?? around.model,
  }
}

function readEnv(source: TestSource, node: Tree): Record<string, string> {
  const env: [string, string][] = []
  for (const [name, value, key] of source.mapping(node, 'env')?.entries() ?? []) {
    const text = source.text(value, name)
    if (!/^[^=\0]+$/.test(name))
      source.complain(key, `${JSON.stringify(name)} is not a valid name of a variable.`)
    else if (text?.includes('\0'))
      source.complain(value, `${name} contains a character that a variable cannot contain.`)
    else if (text !== undefined) env.push([name, text])
  }
  return Object.fromEntries(env)
}

/** A mapping or a list is written as JSON, the usual content of such files. */
export function readFileTexts(source: TestSource, node: Tree, what: string): Files {
  const files = new Map<string, string>()
  for (const [name, value, key] of source.mapping(node, what)?.entries() ?? []) {
    const path = insidePath(source, key, name)
    const isPlain = isScalar(source.real(value)) || source.isNull(value)
    const text = source.isNull(value)
      ? ''
      : isPlain
        ? source.text(value, name)
        : `${JSON.stringify(source.value(value), null, 2)}\n`
    if (path !== undefined && text !== undefined) files.set(path, text)
  }
  return files
}

export function readModel(source: TestSource, node: Tree): PromptReply | undefined {
  if (source.isNull(node)) return undefined
  const mapping = source.keyed(node, 'model says', ['ok', 'reason'])
  if (!mapping) return undefined
  const ok = source.value(mapping.get('ok'))
  if (typeof ok !== 'boolean') return source.complain(node, 'model says needs "ok: true" or "ok: false".')
  const reason = mapping.has('reason') ? source.text(mapping.get('reason'), 'reason') : undefined
  return reason === undefined ? { ok } : { ok, reason }
}
