import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DOCS } from './docs.js'

it.each(DOCS)('the documentation has %s', file => {
  expect(existsSync(new URL(`../../../../docs/${file}`, import.meta.url))).toBe(true)
})
