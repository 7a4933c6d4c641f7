import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from '../../arguments.js'
import { WORKSPACE } from '../../option-sections.js'
import { workspaceOf } from '../../workspace.js'
import { openPanel, type Panel } from '../panel.js'
import { watch } from './watch.js'

let folder: string
let panel: Panel
const NO_DAEMON = { list: async () => 'absent' as const, answer: async () => false, unattended: undefined }
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-watch-'))
  mkdirSync(join(folder, 'root'))
  const here = ['--root', join(folder, 'root'), '--home', join(folder, 'home')]
  panel = await openPanel(workspaceOf(parse('ui', here, WORKSPACE.options)), NO_DAEMON)
})
afterEach(() => {
  panel.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(isInside: (headers: Headers) => boolean) {
  const [page, stopping] = [new AbortController(), new AbortController()]
  const context = { signal: page.signal, requestHeader: new Headers({ cookie: 'c' }) }
  const stream = watch({ cursor: '' }, context, { panel, stopping: stopping.signal, isInside })
  return { stream, page, stopping }
}

it('sends nothing to a page that is no longer let in', async () => {
  const asked: (string | null)[] = []
  const { stream } = open(headers => {
    asked.push(headers.get('cookie'))
    return false
  })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(asked).toEqual(['c'])
})

it.each(['page', 'stopping'] as const)('ends when the signal "%s" aborts', async name => {
  const opened = open(() => true)
  expect((await opened.stream.next()).value).toEqual({
    runs: [],
    hooksChanged: false,
    gap: false,
    questionsChanged: false,
  })
  const next = opened.stream.next()
  opened[name].abort()
  expect(await next).toEqual({ done: true, value: undefined })
})
