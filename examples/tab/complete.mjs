#!/usr/bin/env node
// Inline completion with hooks: what an editor does when somebody pauses in a line. The files around the cursor are
// read only if hooks let them, and what was taken is told to hooks. The completion itself is the word that the file
// itself knows best; a model would stand in its place.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { openTab } from '@holdfast/hosts/ai-sdk'

const [given, lineText, columnText] = process.argv.slice(2)
const [line, column] = [lineText, columnText].map(Number)
if (!given || !Number.isInteger(line) || !Number.isInteger(column)) {
  process.stderr.write('usage: node complete.mjs <file> <line> <column>   (counted from 1)\n')
  process.exit(1)
}

const file = resolve(given)
const hooks = await openHooks({ workspaceRoots: [process.cwd()], trustAll: process.env.TRUST_ALL === '1' })
const tab = openTab(hooks.resumeSession({ composerMode: 'edit' }))
try {
  process.exitCode = await complete()
} finally {
  hooks.close()
}

async function complete() {
  const before = readFileSync(file, 'utf8')
  const own = await tab.read(file, before)
  if (own.kind === 'blocked') {
    process.stdout.write(`no completion: ${own.reason}\n`)
    return 1
  }
  const known = [own.content, ...(await neighbours())]
  const offset =
    before
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length +
    (line > 1 ? 1 : 0) +
    column -
    1
  const begun = /\w*$/.exec(before.slice(0, offset))[0]
  const word = begun && known.join(' ').match(new RegExp(`\\b${begun}\\w+`))?.[0]
  if (!word) {
    process.stdout.write('nothing to complete\n')
    return 0
  }
  const change = { start: offset, end: offset, text: word.slice(begun.length) }
  writeFileSync(file, await tab.edited(file, before, [change]))
  process.stdout.write(`${begun} → ${word}\n`)
  return 0
}

/** The other files of the folder, as far as hooks let a completion see them. */
async function neighbours() {
  const seen = []
  for (const name of readdirSync(dirname(file)).sort()) {
    const path = join(dirname(file), name)
    if (path === file || !statSync(path).isFile()) continue
    const content = readFileSync(path, 'utf8')
    const read = await tab.read(path, content)
    if (read.kind === 'go') seen.push(read.content)
    else process.stdout.write(`without ${name}: ${read.reason}\n`)
  }
  return seen
}
