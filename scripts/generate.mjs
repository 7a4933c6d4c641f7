// Writes the JSON Schemas, the reference pages and the rows of the Python library, from the tables of events and commands.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from './build.mjs'
import { generateProto } from './proto.mjs'
import { bundled, main, root, run } from './steps.mjs'

const LIBRARY = join(root, 'python/holdfast_hooks')
const COMMAND = join(root, 'packages/cli/bin/holdfast.cjs')

await main(async () => {
  await generateProto()
  const { generated, GENERATED_FOLDERS } = await bundled('scripts/generate/generate.ts')
  const files = generated(root)
  let written = 0
  for (const [path, content] of files) {
    if (contentOf(join(root, path)) === content) continue
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    written++
  }
  const superfluous = GENERATED_FOLDERS.flatMap(filesIn).filter(path => !files.has(path))
  for (const path of superfluous) rmSync(join(root, path))
  process.stdout.write(`${files.size} files: ${written} written, ${superfluous.length} removed\n`)
  for (const folder of withPython()) {
    rmSync(folder, { recursive: true })
    cpSync(LIBRARY, folder, { recursive: true, filter: path => !path.endsWith('__pycache__') })
  }
  await build()
  const examples = withTypeScript()
  for (const folder of examples)
    await run(process.execPath, [COMMAND, 'build', '--root', folder], { quiet: true })
  process.stdout.write(`${examples.length} examples bundled\n`)
})

/** The Python library, as hooks have it beside them. */
function withPython() {
  return readdirSync(join(root, 'examples'))
    .map(name => join(root, 'examples', name, '.cursor/hooks/holdfast_hooks'))
    .filter(folder => existsSync(folder))
}

/** Their bundles contain a copy of the SDK, so they change with it. */
function withTypeScript() {
  return readdirSync(join(root, 'examples'))
    .map(name => join(root, 'examples', name))
    .filter(folder => existsSync(join(folder, '.cursor/hooks')))
    .filter(folder => readdirSync(join(folder, '.cursor/hooks')).some(name => name.endsWith('.ts')))
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry =>
      relative(root, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join('/'),
    )
}
