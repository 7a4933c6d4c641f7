import { expect, it } from 'vitest'
import { STEPS, startsTheProgram, usesOf } from './steps.js'

const real = STEPS.filter(startsTheProgram)
const usesOfAll = (steps: typeof STEPS) => [...new Set(steps.flatMap(usesOf))].sort()

it('the real program runs every command, with every exit code and every kind of input and output', () => {
  expect(usesOfAll(real)).toEqual(usesOfAll(STEPS))
})

it('the real program runs a small part of the steps', () => {
  expect(real.length).toBeGreaterThan(40)
  expect(real.length).toBeLessThan(STEPS.length / 5)
})

it('recognises the uses of a step', () => {
  const step = { command: 'cd a && echo x | COLUMNS=9 holdfast fire stop --json > out', exit: 2, output: [] }
  expect(usesOf(step)).toEqual(['fire', 'output into a file', 'with COLUMNS', '--json'])
  expect(usesOf({ command: 'echo x | holdfast fire', exit: 0, output: [] })).toContain('fire reads input')
  expect(usesOf({ command: 'holdfast list', exit: 1, output: [] })).toEqual(['list', 'list exits 1'])
})
