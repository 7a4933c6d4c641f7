import { expect, test } from 'vitest'
import { featuresOf } from './features.js'
import { covering, onScripts, runHalf } from './run-scripts.js'

test('the covering set has the features of all cases', () => {
  const all = new Set(onScripts.flatMap(featuresOf))
  const shown = new Set([...covering].flatMap(featuresOf))
  expect([...all].filter(feature => !shown.has(feature))).toEqual([])
  expect(all.size).toBeGreaterThan(500)
  expect(covering.size).toBeLessThan(onScripts.length / 4)
})

runHalf(0)
