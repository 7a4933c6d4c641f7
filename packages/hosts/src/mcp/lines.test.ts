import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf } from './lines.js'
import { eventsOf } from './sse.js'

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const out: T[] = []
  for await (const item of items) out.push(item)
  return out
}

/** The bytes in pieces of these sizes, again and again. */
const inPieces = (bytes: Buffer, sizes: readonly number[]) => {
  const pieces: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return Readable.from(pieces, { objectMode: true })
}
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })

describe('lines', () => {
  it('put together are the bytes, wherever these were cut', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'ü', '\n', '\r', '{}'), { maxLength: 60 })
      .map(parts => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, sizes, async (said, cuts) => {
        const lines = await all(linesOf(inPieces(Buffer.from(said), cuts)))
        expect(lines.map(String).join('')).toBe(said)
        for (const line of lines.slice(0, -1)) expect(line!.indexOf(10)).toBe(line!.length - 1)
      }),
    )
  })

  it('that are too long are left out, the next is not', async () => {
    const bytes = Buffer.from(`ok\n${'x'.repeat(100)}\nalso\n`)
    const lines = await all(linesOf(inPieces(bytes, [7]), 50))
    expect(lines.map(line => line && String(line))).toEqual(['ok\n', null, 'also\n'])
  })
})

it.each([
  [50, 50],
  [51, null],
])('a line of %i bytes, with a limit of 50, has a length of %j', async (size, length) => {
  for (const cuts of [[7], [25], [50], [51], [1]]) {
    const bytes = Buffer.from(`${'x'.repeat(size - 1)}\nnext\n`)
    const lines = await all(linesOf(inPieces(bytes, cuts), 50))
    expect(lines.map(line => line?.length ?? null)).toEqual([length, 5])
  }
})

describe('events', () => {
  it('are read wherever the stream was cut', async () => {
    const text =
      ': hello\n\nid: 1\ndata: {"a":\ndata:  1}\n\nevent: other\ndata: no\n\nretry: 20\r\ndata:ü\r\n\r\ndata: never ended\n'
    await fc.assert(
      fc.asyncProperty(sizes, async cuts => {
        const events = await all(eventsOf(inPieces(Buffer.from(text), cuts)))
        expect(events.map(({ data }) => data)).toEqual([null, '{"a":\n 1}', null, 'ü'])
        expect(events.at(-1)).toEqual({ id: '1', retryMs: 20, data: 'ü' })
      }),
    )
  })
})
