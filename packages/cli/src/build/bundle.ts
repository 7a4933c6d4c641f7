// One TypeScript hook → one file that needs nothing beside it.

import { mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Message, OutputFile, Plugin } from 'esbuild'
import manifest from '../../package.json' with { type: 'json' }
import { Complaint } from '../complaint.js'
import { replace } from '../edit/write.js'
import { loadOptional } from '../optional.js'

/** This bundle is CommonJS, and the SDK lies beside it. */
declare const __dirname: string

const SDK = '@holdfast/hooks/sdk'

/** Writes the bundle of a source. What is wrong with the source is a complaint that names the place. */
export async function bundle(file: string, out: string): Promise<void> {
  const text = await bundled(file, out)
  try {
    mkdirSync(dirname(out), { recursive: true })
    replace(out, Buffer.from(text), 0o755)
  } catch (error) {
    throw new Complaint(`${here(out)} could not be written: ${(error as Error).message}`)
  }
}

/** What the bundle of a source is now. The ending of `out` says the format: .mjs is a module. */
export async function bundled(file: string, out: string): Promise<string> {
  const { build } = await loadOptional(() => import('esbuild'), 'holdfast build', ['esbuild@0.28'])
  const [output] = await build({
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
    plugins: [ownSdk],
    banner: { js: `#!/usr/bin/env node\n${mark(file)}` },
  }).then(
    ({ outputFiles }): readonly OutputFile[] => outputFiles,
    (error: { errors?: readonly Message[]; message: string }) => {
      throw new Complaint(wordsOf(file, error))
    },
  )
  // esbuild says in comments where each part came from; a path that leaves the folder would differ by machine.
  return output!.text.replace(/^( *\/\/ )(?:\.\.\/)+.*?(node_modules\/.*)$/gm, '$1$2')
}

/** Other tools know by the first word that every version's payload is understood. */
const mark = (file: string) =>
  `// holdfast-sdk ${manifest.version}; made from ${basename(file)} by "holdfast build": change that and build again.`

/** The name of the source in the mark of a bundle. */
export const sourceNamed = (text: string): string | undefined =>
  /^(?:#!.*\n)?\/\/ holdfast-sdk \S+; made from (.+?) by "holdfast build"/.exec(text)?.[1]

/** Whether the bundle is what the source gives now. */
export async function isFresh(source: string, out: string): Promise<boolean> {
  const text = await bundled(source, out)
  try {
    return readFileSync(out, 'utf8') === text
  } catch {
    return false
  }
}

/** Whether a bundle may be written where this stands; undefined: nothing does. */
export const isOurs = (text: string | undefined): boolean =>
  text === undefined || text.trim() === '' || /^(?:#!.*\n)?\/\/ holdfast-sdk /.test(text)

/** A workspace need not have the SDK installed: then the one of this command is taken. */
const ownSdk: Plugin = {
  name: 'own-sdk',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^@holdfast\/hooks\/sdk$/ }, async ({ resolveDir, kind, pluginData }) => {
      if (pluginData === 'own-sdk') return undefined
      const found = await resolve(SDK, { resolveDir, kind, pluginData: 'own-sdk' })
      return found.errors.length === 0 ? found : { path: 'sdk', namespace: 'holdfast' }
    })
    onLoad({ filter: /.*/, namespace: 'holdfast' }, () => ({
      contents: readFileSync(join(__dirname, 'sdk.js'), 'utf8'),
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

/** As one would type it here. */
export const here = (file: string): string => relative(process.cwd(), file) || '.'

const hint = (text: string): string => {
  if (/^Could not resolve "[^./]/.test(text))
    return ' Install it in this workspace, or import something else.'
  if (/Top-level await/.test(text)) return ' Name the output .mjs: holdfast build FILE --out FILE.mjs'
  return ''
}
