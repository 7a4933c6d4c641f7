// Scripts that answer in camelCase, as the first version wanted it. Later ones ignore those words silently.

import { ANSWER_ALIASES } from '../protocol/answer.js'
import type { HookDefinition } from '../protocol/config.js'
import { decode, readFile } from './read.js'
import type { Report } from './report.js'

const LARGEST = 1024 * 1024

/** As a key: `"userMessage":`, `'userMessage':`, `userMessage:`, also escaped inside a shell string. */
const AS_KEY = /\\?(["']?)\b(userMessage|agentMessage|followupMessage|followUpMessage)\b\\?\1\s*:(?!:)/g

export function warnOfCamelCase(hook: HookDefinition, report: Report): void {
  for (const { path } of hook.scripts) {
    if (report.issues.some(issue => issue.file === path && issue.code === 'config/camel-case-answer'))
      continue
    const result = readFile(path, LARGEST)
    const decoded = result.kind === 'read' ? decode(result.bytes) : undefined
    if (!decoded?.ok) continue
    const seen = new Set<string>()
    for (const [offset, name] of keysIn(decoded.text)) {
      if (seen.has(name)) continue
      seen.add(name)
      const before = decoded.text.slice(0, offset).split('\n')
      report.warning('config/camel-case-answer', {
        file: path,
        place: { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
        message: `The script answers with ${name}, which versions since 2.0 ignore.`,
        hint: `Write ${ANSWER_ALIASES[name] ?? name}.`,
      })
    }
  }
}

function* keysIn(text: string): Generator<[offset: number, name: string]> {
  for (const found of text.matchAll(AS_KEY)) {
    const name = found[2] ?? ''
    yield [found.index + found[0].indexOf(name), name]
  }
}
