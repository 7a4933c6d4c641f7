// npm run bench -- engine: measures every published figure on this machine.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const suites = {
  engine: './engine.mjs',
  sdk: './sdk.mjs',
  python: './python.mjs',
  mcp: './mcp.mjs',
  bridge: './bridge.mjs',
  warm: './warm.mjs',
  team: './team.mjs',
  web: './web.mjs',
}
const wanted = process.argv.slice(2).filter(word => !word.startsWith('-'))
const unknown = wanted.filter(name => !(name in suites))
if (unknown.length > 0) {
  process.stderr.write(`There is no bench "${unknown[0]}". Known: ${Object.keys(suites).join(', ')}.\n`)
  process.exit(1)
}
const here = fileURLToPath(new URL('.', import.meta.url))
if (!existsSync(join(here, '../packages/hooks/dist/index.js'))) {
  process.stderr.write('The packages are not built yet. Run: npm run build\n')
  process.exit(1)
}

let missed = 0
for (const name of wanted.length > 0 ? wanted : Object.keys(suites)) {
  const { suite } = await import(suites[name])
  missed += await suite()
}
process.exitCode = missed > 0 ? 1 : 0
