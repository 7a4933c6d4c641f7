#!/usr/bin/env node
// Inline completion with hooks: what an editor does when the user pauses in a line. It reads files around the cursor
// only if hooks allow it, and reports accepted completions to hooks. The completion is the most frequent word of the
// file that fits; a real editor would ask a model.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { openTab, withChanges } from '@holdfast/hosts/ai-sdk'

const USAGE = 'usage: node complete.mjs <file> <line> <column>   (counted from 1)'

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function main([given, ...place]) {
  const [line, column] = place.map(Number)
  if (!given || !(line >= 1) || !(column >= 1)) throw new Error(USAGE)
  const file = resolve(given)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`${given} is not a file.`)
  const before = readFileSync(file, 'utf8')
  const offset = offsetOf(before, line, column)
  if (offset === undefined) throw new Error(`${given} has no line ${line}, column ${column}.`)
  const hooks = await openHooks({ workspaceRoots: [process.cwd()], trustAll: process.env.TRUST_ALL === '1' })
  try {
    return await complete(openTab(hooks.resumeSession({ composerMode: 'edit' })), file, before, offset)
  } finally {
    await hooks.close()
  }
}

function offsetOf(text, line, column) {
  const lines = text.split('\n')
  if (line > lines.length || column > lines[line - 1].length + 1) return undefined
  return lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1
}

async function complete(tab, file, before, offset) {
  const own = await tab.read(file, before)
  if (own.kind === 'blocked') {
    process.stdout.write(`no completion: ${own.reason}\n`)
    return 1
  }
  const known = [own.content, ...(await neighbours(tab, file))]
  const begun = /\w*$/.exec(before.slice(0, offset))[0]
  const word = begun && known.join(' ').match(new RegExp(`\\b${begun}\\w+`))?.[0]
  if (!word) {
    process.stdout.write('nothing to complete\n')
    return 0
  }
  const changes = [{ start: offset, end: offset, text: word.slice(begun.length) }]
  writeFileSync(file, withChanges(before, changes))
  // The file already contains it: a hook may read or format it.
  await tab.edited(file, before, changes)
  process.stdout.write(`${begun} → ${word}\n`)
  return 0
}

/** The other files of the folder that hooks let a completion read. */
async function neighbours(tab, file) {
  const seen = []
  for (const name of readdirSync(dirname(file)).sort()) {
    const path = join(dirname(file), name)
    if (path === file || !statSync(path, { throwIfNoEntry: false })?.isFile()) continue
    const content = readFileSync(path, 'utf8')
    const read = await tab.read(path, content)
    if (read.kind === 'go') seen.push(read.content)
    else process.stdout.write(`without ${name}: ${read.reason}\n`)
  }
  return seen
}
