// Finds the formatter that a project uses for a file: an installed one, or a configured one on the PATH.

import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, dirname, extname, join } from 'node:path'

export interface Formatter {
  readonly command: string
  readonly args: readonly string[]
}

const WEB = new Set(
  '.js .cjs .mjs .jsx .ts .cts .mts .tsx .json .jsonc .css .graphql .html .vue .svelte .astro'.split(' '),
)
const TEXT = new Set('.md .mdx .yaml .yml .scss .less'.split(' '))
const C = new Set('.c .h .cc .cpp .cxx .hpp .m .mm .proto'.split(' '))

export function formatterOf(file: string, root: string): Formatter | undefined {
  const kind = extname(file).toLowerCase()
  /** From the folder of the file up to the root. */
  const folders: string[] = []
  for (let at = dirname(file); ; at = dirname(at)) {
    folders.push(at)
    if (at === root || at === dirname(at)) break
  }
  const has = (...names: string[]) => folders.some(at => names.some(name => isReadable(join(at, name))))
  const local = (name: string) => folders.map(at => join(at, name)).find(isExecutable)
  const says = (name: string, text: string) => folders.some(at => contains(join(at, name), text))
  const python = (name: string) => local(`.venv/bin/${name}`) ?? local(`venv/bin/${name}`) ?? onPath(name)
  const use = (command: string | undefined, ...args: string[]) =>
    command === undefined ? undefined : { command, args: [...args, file] }

  if (WEB.has(kind) || TEXT.has(kind)) {
    const biome = has('biome.json', 'biome.jsonc') && WEB.has(kind) && local('node_modules/.bin/biome')
    if (biome) return use(biome, 'format', '--write', '--no-errors-on-unmatched')
    return use(local('node_modules/.bin/prettier'), '--write', '--ignore-unknown', '--log-level', 'error')
  }
  if (kind === '.py' || kind === '.pyi') {
    if (has('ruff.toml', '.ruff.toml') || says('pyproject.toml', '[tool.ruff'))
      return use(python('ruff'), 'format', '--quiet')
    return says('pyproject.toml', '[tool.black') ? use(python('black'), '--quiet') : undefined
  }
  if (kind === '.go') return has('go.mod') ? use(onPath('gofmt'), '-w') : undefined
  if (kind === '.rs')
    return has('Cargo.toml') ? use(onPath('rustfmt'), '--edition', '2021', '--quiet') : undefined
  if (kind === '.tf' || kind === '.tfvars') return use(onPath('terraform') ?? onPath('tofu'), 'fmt')
  if (C.has(kind)) return has('.clang-format') ? use(onPath('clang-format'), '-i') : undefined
  return undefined
}

const onPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => folder.startsWith('/'))
    .map(folder => join(folder, name))
    .find(isExecutable)

const may = (file: string, mode: number) => {
  try {
    accessSync(file, mode)
    return true
  } catch {
    return false
  }
}
const isReadable = (file: string) => may(file, constants.R_OK)
const isExecutable = (file: string) => may(file, constants.X_OK)

const contains = (file: string, text: string) => {
  try {
    return readFileSync(file, 'utf8').includes(text)
  } catch {
    return false
  }
}
