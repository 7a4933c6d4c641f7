// Cases on an engine behind a command: CONFORMANCE_ENGINE="python3 engine.py" npx vitest run conformance/run-engine.test.ts
// Without that variable our own engine runs behind its adapter, which keeps the runner and the adapter working.

import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cover } from '../tests/cover.js'
import { runsEverything } from '../tests/scope.js'
import { isForEngines, runEngine } from './engine.js'
import { featuresOf } from './features.js'
import { allCases, TOPICS } from './load.js'

const given = process.env.CONFORMANCE_ENGINE
const OWN = [process.execPath, fileURLToPath(new URL('reference-engine.mjs', import.meta.url))]
const engine = given?.split(' ') ?? OWN

const cases = allCases().filter(({ case: one }) => isForEngines(one))
const covering = cover(cases, featuresOf)
const some = [...covering].slice(0, 24)
const selected = given || runsEverything ? cases : cases.filter(one => some.includes(one))

for (const topic of TOPICS) {
  const own = selected.filter(one => one.topic === topic).map(({ case: one }) => [one.note, one] as const)
  if (own.length === 0) continue
  describe.concurrent(topic, () => {
    test.each(own)('%s', async (_, one) => {
      expect(await runEngine(one, engine)).toEqual([])
    })
  })
}

describe('the runner', () => {
  const denied = cases.find(({ case: one }) => one.expect.proceeds === false)!.case

  test.each([
    ['allows all', `console.log('{"proceeds":true}')`, 'proceeds: expected false, got true'],
    ['prints nothing', '', 'printed no JSON'],
    ['omits the result', `console.log('{}')`, 'proceeds: expected false, got nothing'],
  ])('reports an engine that %s', async (_, script, words) => {
    expect((await runEngine(denied, [process.execPath, '-e', script])).join()).toContain(words)
  })
})
