// The language check finds its words where people read them, and nowhere else.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const module = new URL('../../scripts/check-prose.mjs', import.meta.url).href
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Problems of each source text, by the function that `npm run check` uses. */
function problemsOf(...sources: { path: string; text: string }[]): string[][] {
  const program = `
    import { findProblems } from ${JSON.stringify(module)}
    const results = []
    for (const { path, text } of ${JSON.stringify(sources)})
      results.push((await findProblems(path, text)).map(({ line, message }) => line + ' ' + message))
    process.stdout.write(JSON.stringify(results))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    cwd: root,
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

it('finds a word in comments, texts, titles, names and pages, with its line', () => {
  const problems = problemsOf(
    { path: 'a.ts', text: "const a = 1\n// The server\n// is told of it.\nconst b = 'It is forgotten now.'" },
    { path: 'b.test.ts', text: "it('hears of a change', () => {})" },
    { path: 'c.tsx', text: 'const doorman = <p>Whoever signs in</p>' },
    { path: 'd.py', text: 'x = 1\n# The person is asked.\n' },
    { path: 'f.ts', text: '// It belongs into a step, where hooks\n// still weigh it for ever.' },
    { path: 'e.md', text: '# Page\n\nA rule in\nforce here.\n\n| a | b |\n|---|---|\n| anew | b |\n' },
  ).map(lines => lines.map(line => /^\d+ .*?["“](.*?)["”]/s.exec(line)?.[0]))
  expect(problems).toEqual([
    ['3 Instead of "told"', '4 Instead of "forgotten"'],
    ['1 Instead of "hears"'],
    ['1 The name doorman contains "doorman"', '1 Instead of "Whoever"'],
    ['2 Instead of "The person"'],
    ['1 Instead of "belongs into"', '1 Instead of "hooks still weigh"', '2 Instead of "for ever"'],
    ['3 Instead of "in force"', '8 Instead of "anew"'],
  ])
})

it('finds a clause that starts with a pronoun, and accepts questions', () => {
  const text = "// Who leaves early is free.\nconst a = 1\n// Who leaves early?\nconst b = 'Who may publish'"
  expect(problemsOf({ path: 'a.ts', text })[0]).toEqual([
    '1 Name the actor instead of starting with "Who leaves early is free".',
  ])
})

it('accepts keys, code and addresses', () => {
  const problems = problemsOf(
    { path: 'a.ts', text: "const a = { told: 'anew' }\nconst b = `${told} ${'x'}`\nconst c = /said/" },
    {
      path: 'b.md',
      text: 'Run `holdfast told` in [a page](https://example.com/said).\n\n```sh\necho anew\n```\n',
    },
  )
  expect(problems).toEqual([[], []])
})
