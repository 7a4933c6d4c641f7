// Bundles one TypeScript hook into one file that runs on its own.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Message, Metafile, Plugin } from 'esbuild'
import manifest from '../../package.json' with { type: 'json' }
import { replace } from '../edit/write.js'
import { loadOptional } from '../optional.js'
import { UsageError } from '../usage-error.js'

/** This bundle is CommonJS, and the modules are beside it. */
declare const __dirname: string

/** Modules for hooks that come with the command, by the name of their file. */
const OWN: Readonly<Record<string, string>> = {
  '@holdfast/hooks/sdk': 'sdk.js',
  '@holdfast/guards/shell': 'shell.js',
}

/** Writes the bundle of a source. Throws a UsageError with the place of an error in the source. */
export async function bundle(file: string, out: string): Promise<void> {
  const text = await bundled(file, out)
  try {
    mkdirSync(dirname(out), { recursive: true })
    replace(out, Buffer.from(text), 0o755)
  } catch (error) {
    throw new UsageError(`${here(out)} could not be written: ${(error as Error).message}`)
  }
}

/** The bundle that the source gives now. The extension of `out` selects the format: .mjs is a module. */
export async function bundled(file: string, out: string): Promise<string> {
  const { build } = await loadOptional(() => import('esbuild'), 'holdfast build', ['esbuild@0.28'])
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    absWorkingDir: dirname(file),
    outfile: out,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: out.endsWith('.mjs') ? 'esm' : 'cjs',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    plugins: [ownModules],
  }).catch((error: { errors?: readonly Message[]; message: string }) => {
    throw new UsageError(wordsOf(file, error))
  })
  // esbuild names the origin of each part in comments; a path that leaves the folder would differ by machine.
  const code = outputFiles[0]!.text.replace(/^( *\/\/ )(?:\.\.\/)+.*?(node_modules\/.*)$/gm, '$1$2')
  return `${markOf(file, sourcesHash(metafile, dirname(file)), code)}${code}`
}

/** The files that the author wrote: all that the entry imports, except modules of the command and installed packages. */
function sourcesHash({ inputs, outputs }: Metafile, folder: string): string {
  const entry = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined)!.entryPoint!
  const found = new Set([entry])
  for (const path of found)
    for (const { path: imported, original, external } of inputs[path]?.imports ?? [])
      if (!external && !(original! in OWN) && !/(?:^|\/)node_modules\/|^holdfast:/.test(imported))
        found.add(imported)
  const hash = createHash('sha256')
  for (const path of [...found].sort()) {
    const content = readFileSync(join(folder, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, HASH_LENGTH)
}

const HASH_LENGTH = 16
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)

/** Other tools recognise by the first word that the hook reads the payloads of all versions. */
const markOf = (file: string, sources: string, code: string): string =>
  `#!/usr/bin/env node\n// holdfast-sdk ${manifest.version}; made from ${basename(file)} by "holdfast build": change that and build again. sources ${sources} code ${hashOf(code)}\n`

const MARK =
  /^(?:#!.*\n)?\/\/ holdfast-sdk \S+; made from (.+?) by "holdfast build".*?(?: sources ([0-9a-f]+) code ([0-9a-f]+))?\n/

/** The name of the source in the mark of a bundle. */
export const sourceNamed = (text: string): string | undefined => MARK.exec(text)?.[1]

/**
 * Whether the bundle was made from the sources as they are now, and not changed since. Not a comparison of the code: that
 * depends on the compiler options and the place of the SDK, too.
 */
export async function isFresh(source: string, out: string): Promise<boolean> {
  const [, , sources] = MARK.exec(await bundled(source, out))!
  try {
    const text = readFileSync(out, 'utf8')
    const [mark, , own, code] = MARK.exec(text) ?? []
    return mark !== undefined && own === sources && hashOf(text.slice(mark.length)) === code
  } catch {
    return false
  }
}

/** Whether a bundle may be written to this path. Undefined if there is no file. */
export const isOurs = (text: string | undefined): boolean =>
  text === undefined || text.trim() === '' || /^(?:#!.*\n)?\/\/ holdfast-sdk /.test(text)

/** The workspace may lack them; then the copy of this command is used. */
const ownModules: Plugin = {
  name: 'own-modules',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^@holdfast\// }, async ({ path, resolveDir, kind, pluginData }) => {
      if (!(path in OWN) || pluginData === 'own-modules') return undefined
      const found = await resolve(path, { resolveDir, kind, pluginData: 'own-modules' })
      return found.errors.length === 0 ? found : { path: OWN[path]!, namespace: 'holdfast' }
    })
    onLoad({ filter: /.*/, namespace: 'holdfast' }, ({ path }) => ({
      contents: readFileSync(join(__dirname, path), 'utf8'),
      resolveDir: __dirname,
    }))
  },
}

function wordsOf(
  file: string,
  { errors = [], message }: { errors?: readonly Message[]; message: string },
): string {
  const [first, ...more] = errors
  if (!first) return `${here(file)} could not be built: ${message}`
  const { text, location } = first
  const place = location
    ? `${here(join(dirname(file), location.file))}:${location.line}:${location.column + 1}`
    : here(file)
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  return `${place}  ${text}${/[.!?]$/.test(text) ? '' : '.'}${hint(text)}${rest}`
}

/** As the user would type it here. */
export const here = (file: string): string => relative(process.cwd(), file) || '.'

const hint = (text: string): string => {
  if (/^Could not resolve "[^./]/.test(text))
    return ' Install it in this workspace, or import something else.'
  if (/Top-level await/.test(text)) return ' Name the output .mjs: holdfast build FILE --out FILE.mjs'
  return ''
}
