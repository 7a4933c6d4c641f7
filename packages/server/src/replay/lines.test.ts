import { expect, it } from 'vitest'
import { linesOf } from './lines.js'

const heard = (longest: number, ...pieces: string[]) => {
  const lines: (string | null)[] = []
  const take = linesOf(longest, line => lines.push(line))
  for (const piece of pieces) take(Buffer.from(piece))
  return lines
}

it('gives whole lines, wherever the pieces end', () => {
  expect(heard(10, 'one\ntw', 'o\n\nth', 'ree', '\n')).toEqual(['one', 'two', '', 'three'])
  const [first, second] = [Buffer.from('ä\n').subarray(0, 1), Buffer.from('ä\n').subarray(1)]
  const lines: (string | null)[] = []
  const take = linesOf(10, line => lines.push(line))
  take(first)
  take(second)
  expect(lines).toEqual(['ä'])
})

it('holds no more than the longest line of somebody who never ends one', () => {
  expect(heard(10, 'one\n', 'x'.repeat(11), 'x'.repeat(11), '\ntwo\n')).toEqual(['one', null])
  expect(heard(10, 'x'.repeat(6), 'x'.repeat(6))).toEqual([null])
})
