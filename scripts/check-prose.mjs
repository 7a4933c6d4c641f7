// Finds the words of scripts/prose/terms.mjs in pages, comments, texts and names:
// node scripts/check-prose.mjs [path …]

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import terminology from 'textlint-rule-terminology'
import { extractHashComments, extractScript } from './prose/extract.mjs'
import { HEADLESS_CLAUSE, NAMES, NEVER_CHECKED, TERMS } from './prose/terms.mjs'
import { main, root } from './steps.mjs'

const EXTRACTORS = {
  '.ts': extractScript,
  '.tsx': extractScript,
  '.mjs': extractScript,
  '.js': extractScript,
  '.py': extractHashComments,
  '.sh': extractHashComments,
}
const ANY_TERM = new RegExp(TERMS.map(([pattern]) => pattern).join('|'), 'i')
const EACH_TERM = TERMS.map(([pattern, replacement]) => [new RegExp(pattern, 'i'), replacement])

/** Problems as `path:line message`. */
async function checkProse(paths = []) {
  const files = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', '--deduplicate', '--', ...paths],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter(path => path !== '' && !NEVER_CHECKED.some(pattern => pattern.test(path)))
  const problems = []
  for (const path of files) {
    problems.push(
      ...(await findProblems(path, readIfPresent(path))).map(
        ({ line, message }) => `${path}:${line} ${message}`,
      ),
    )
  }
  return problems
}

/** Problems of one file, chosen by its extension. */
export async function findProblems(path, text) {
  if (extname(path) === '.md') return checkMarkdown(text)
  const extract = EXTRACTORS[extname(path)]
  return extract ? checkSegments(extract(text)) : []
}

/** A file that is deleted in the working tree is still listed by git. */
function readIfPresent(path) {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return ''
  }
}

function checkSegments(segments) {
  return segments.flatMap(({ kind, line, text }) => {
    if (kind === 'name') {
      const word = text.split(/(?<=[a-z0-9])(?=[A-Z])|_/).find(part => NAMES.has(part.toLowerCase()))
      return word ? [{ line, message: `The name ${text} contains "${word}".` }] : []
    }
    // A single word in a text is a key or a value of a protocol.
    if (kind === 'text' && !/\s/.test(text.trim())) return []
    const found = []
    if (ANY_TERM.test(text))
      for (const [pattern, replacement] of EACH_TERM) {
        const match = pattern.exec(text)
        if (match)
          found.push({
            line: line + lineBreaks(text.slice(0, match.index)),
            message: advice(match[0], replacement),
          })
      }
    const clause = kind === 'comment' && HEADLESS_CLAUSE.exec(text.replace(/\s+/g, ' '))
    if (clause)
      found.push({
        line,
        message: `Name the actor instead of starting with "${clause[0].trim().slice(0, 30)}".`,
      })
    return found
  })
}

const kernel = new TextlintKernel()

async function checkMarkdown(text) {
  const { messages } = await kernel.lintText(text, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default ?? markdown }],
    rules: [
      {
        ruleId: 'terms',
        rule: terminology.default ?? terminology,
        options: { defaultTerms: false, terms: TERMS, skip: [] },
      },
    ],
  })
  return messages.map(({ line, message }) => {
    const [, word, replacement] = /“(.*)”, use “(.*)” instead/s.exec(message)
    return { line, message: advice(word, replacement) }
  })
}

const lineBreaks = text => text.split('\n').length - 1
const advice = (word, replacement) => `Instead of "${word.replace(/\s+/g, ' ')}", write: ${replacement}.`

/** Prints the problems, and fails if there are any. */
export async function reportProse(paths = []) {
  const problems = await checkProse(paths)
  if (problems.length === 0) return
  process.stderr.write(`\n${problems.join('\n')}\n`)
  throw new Error(`${problems.length} problem(s) of language. CONTRIBUTING.md ("Language") has the rules.`)
}

if (process.argv[1]?.endsWith('check-prose.mjs')) await main(() => reportProse(process.argv.slice(2)))
