// Writes the JSON Schemas, the reference pages and the rows of the Python library, from the tables of events and commands.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { generateProto } from './proto.mjs'
import { bundled, main, root } from './steps.mjs'

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
})

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
