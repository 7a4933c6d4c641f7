// Executes the documentation: JSON is parsed, hooks.json is checked, links are followed, scripts and commands run,
// and printed output is compared with the output on the page.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReport } from '../../packages/hooks/src/config/report.js'
import { loadHooksFile } from '../../packages/hooks/src/discover/hooks-file.js'
import { openHooks } from '../../packages/hooks/src/index.js'
import { EVENT_SPECS, findEvent } from '../../packages/hooks/src/protocol/events.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { SCHEMA_FOLDER, schemas } from '../../scripts/generate/schemas.js'
import { root } from '../architecture/source.js'
import { problems } from '../drift/json-schema.js'
import { python3, sayThatItIsMissing } from '../python/python3.js'
import { runsEverything } from '../scope.js'
import { canBeWarm, startWarm } from '../warm/warm.js'
import { anchorsOf, type Block, blocksOf, linksOf, pages } from './pages.js'
import { asPattern, openPlace, type Place } from './place.js'

const all = pages()
const blocks = all.flatMap(blocksOf)
const where = ({ page, line }: { page: string; line: number }) => `${page}:${line}`

const hooksSchema = JSON.parse(schemas().get(`${SCHEMA_FOLDER}/hooks.schema.json`)!) as Record<
  string,
  unknown
>

/** A block that is a file: its path. */
const fileOf = ({ marks }: { marks: readonly string[] }) =>
  marks.find(mark => mark.startsWith('file='))?.slice('file='.length)

const places: Place[] = []
const warm = canBeWarm ? startWarm() : undefined
const newPlace = () => {
  const place = openPlace(warm)
  places.push(place)
  return place
}
afterAll(async () => {
  await warm?.close()
  for (const place of places) place.close()
})

const parsed = (text: string): unknown => {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: false })
  expect(errors).toEqual([])
  return value
}

describe('json blocks', () => {
  const found = blocks.filter(({ language }) => language === 'json' || language === 'jsonc')

  it('are there', () => expect(found.length).toBeGreaterThan(40))

  it.each(found.map(block => [where(block), block] as const))('%s', async (_, { text, marks }) => {
    const value = parsed(text)
    // A list under "hooks" is a conformance case.
    const isHooksFile =
      typeof value === 'object' && value !== null && 'hooks' in value && !Array.isArray(value.hooks)
    if (!isHooksFile || marks.includes('wrong')) return
    expect(problems(hooksSchema, value)).toEqual([])
    const place = newPlace()
    const file = place.write('hooks.json', text)
    const report = openReport('project', file)
    await loadHooksFile(file, report)
    expect(report.issues).toEqual([])
  })
})

describe('links', () => {
  const links = all.flatMap(linksOf).filter(({ target }) => !/^[a-z]+:/.test(target))

  it('are there', () => expect(links.length).toBeGreaterThan(100))

  it('lead somewhere', () => {
    const broken = links.filter(({ page, target }) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? join(root, page) : join(root, dirname(page), normalize(path))
      if (!existsSync(file)) return true
      if (anchor === undefined || !statSync(file).isFile()) return false
      return !anchorsOf(readFileSync(file, 'utf8')).has(anchor)
    })
    expect(broken.map(link => `${where(link)} ${link.target}`)).toEqual([])
  })
})

describe('examples of the reference', () => {
  const scripts = blocks.filter(
    ({ page, language, text }) =>
      page.startsWith('docs/reference/events/') && language === 'sh' && text.startsWith('#!/bin/sh\n'),
  )

  it('are on every page of an event', () => {
    expect(scripts.map(({ page }) => page).toSorted()).toEqual(
      EVENT_SPECS.map(({ name }) => `docs/reference/events/${name}.md`).toSorted(),
    )
  })

  it.each(scripts.map(block => [block.page, block] as const))(
    '%s answers its sample',
    async (page, { text }) => {
      const spec = findEvent(page.replace(/^.*\/|\.md$/g, ''))!
      const place = newPlace()
      const config = blocks.find(block => block.page === page && /"hooks": \{/.test(block.text))!
      const { hooks } = JSON.parse(config.text) as { hooks: Record<string, [{ command: string }]> }
      const command = hooks[spec.name]![0].command
      const file = place.write(command, text, 0o755)

      const { code, stdout } = place.run(file, [], JSON.stringify(samplePayload(spec.name)))
      expect(code).toBe(0)
      const answer = JSON.parse(stdout) as Record<string, unknown>
      for (const [name, value] of Object.entries(answer)) {
        const field = spec.answer[name as keyof typeof spec.answer]
        expect(field, `${spec.name} knows no ${name}`).toBeDefined()
        expect(v.is(field!.schema, value)).toBe(true)
      }

      // The same through the engine, with the hooks.json of the page.
      place.write('.cursor/hooks.json', config.text)
      const engine = await openHooks({
        workspaceRoots: [place.folder],
        home: place.home,
        enterpriseDir: join(place.home, 'none'),
        env: place.env,
        trustAll: true,
        watch: false,
      })
      try {
        expect(engine.issues()).toEqual([])
        const verdict = await engine.fire(spec.name, spec.sample as never)
        expect(verdict.runs.length + verdict.skipped.length).toBe(1)
        for (const run of verdict.runs) {
          expect(run.outcome.kind).toBe('answered')
          expect(run.notes).toEqual([])
        }
      } finally {
        engine.close()
      }
    },
  )
})

describe('commands of the guide', () => {
  const run = blocks.filter(({ marks }) => marks.includes('run'))
  const withCommands = [...new Set(run.map(({ page }) => page))]

  beforeAll(() => {
    const built = join(root, 'packages/cli/dist/holdfast.cjs')
    expect(existsSync(built), 'The command is not built: run `npm run build`').toBe(true)
  })

  it('are there', () => expect(run.length).toBeGreaterThan(5))

  const isPython = ({ language }: Block) => language === 'python'
  const isFor = (page: string) => python3 || !blocks.some(block => block.page === page && isPython(block))
  if (!withCommands.every(isFor)) sayThatItIsMissing('the guide for Python')

  /** Other tests run the same commands: testkit-frameworks, examples/agent, tests/team/whole and mcp sessions. */
  const ONLY_IN_ALL = ['test', 'agent', 'team', 'mcp'].map(name => `docs/guide/${name}.md`)
  const isNow = (page: string) => runsEverything || !ONLY_IN_ALL.includes(page)

  // One folder for each page: its blocks are consecutive steps.
  it.each(withCommands.filter(page => isFor(page) && isNow(page)))('%s', { timeout: 180_000 }, page => {
    const place = newPlace()
    const own = blocks.filter(block => block.page === page)
    own.forEach((block, index) => {
      const file = fileOf(block)
      if (file) place.write(file, `${block.text}\n`)
      if (!block.marks.includes('run')) return
      const wanted = Number(block.marks.find(mark => mark.startsWith('exit='))?.slice(5) ?? 0)
      const { code, stdout, stderr } = place.execute(block.language, block.text)
      expect(`${where(block)} exit code ${code}\n${code === wanted ? '' : stdout + stderr}`).toBe(
        `${where(block)} exit code ${wanted}\n`,
      )
      const next = own[index + 1]
      if (next?.marks.includes('output')) expect(stdout + stderr).toMatch(asPattern(next.text))
    })
  })
})

describe('TypeScript of the guide', () => {
  /** A page for developers who embed the engine: its JavaScript is also checked as TypeScript. */
  const isTyped = ({ page, language }: Block) =>
    language === 'ts' || (language === 'js' && page === 'docs/guide/embed.md')
  const files = blocks.filter(block => isTyped(block) && !block.marks.includes('sketch'))

  it('is there', () => expect(files.length).toBeGreaterThan(2))

  it('compiles', () => {
    // Inside node_modules, where the compiler finds imports as if they were installed.
    const folder = mkdtempSync(join(root, 'node_modules', '.holdfast-docs-'))
    try {
      files.forEach(({ text }, index) => {
        writeFileSync(join(folder, `block-${index}.ts`), `${text}\nexport {}\n`)
      })
      const compilerOptions = { noEmit: true }
      const settings = {
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions,
        include: ['*.ts'],
        exclude: [],
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
        encoding: 'utf8',
      })
      const said = stdout.replace(/^.*block-(\d+)\.ts/gm, (_, index) => where(files[Number(index)]!))
      expect(said).toBe('')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the tests themselves', () => {
  it('notice a page that lies', () => {
    expect('\n  DENIED in 3 ms\n  by   project\n').toMatch(asPattern('DENIED in 20 ms by project'))
    expect('allowed in 3 ms').not.toMatch(asPattern('DENIED in 20 ms'))
    expect('a, b and more').toMatch(asPattern('a…'))
    expect('b, a').not.toMatch(asPattern('a…'))
  })

  it('read blocks, links and headings', () => {
    const text = '# A `b`, c\n\n[x](y.md#z) `[no](no.md)`\n\n```sh run exit=2\n[no](no.md)\n# no\n```\n'
    const page = { path: 'p.md', text }
    expect(blocksOf(page)).toEqual([
      { page: 'p.md', line: 5, language: 'sh', marks: ['run', 'exit=2'], text: '[no](no.md)\n# no' },
    ])
    expect(linksOf(page)).toEqual([{ page: 'p.md', line: 3, target: 'y.md#z' }])
    expect([...anchorsOf(text)]).toEqual(['a-b-c'])
    expect(() => blocksOf({ path: 'p.md', text: '```json\n{}' })).toThrow('not closed')
  })
})

describe('pages', () => {
  it('do not tell where they were written', () => {
    const told = all.filter(({ text }) => /\/work\/|\/tmp\/[a-z]|registry\.npmjs/.test(text))
    expect(told.map(({ path }) => path)).toEqual([])
  })
})
