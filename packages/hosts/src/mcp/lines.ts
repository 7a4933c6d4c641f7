// Bytes → lines, each with the newline that ended it. A message of fifty megabytes comes in hundreds of pieces, which
// are put together once.

import type { Readable } from 'node:stream'

const NEWLINE = 10

/** More than this cannot be made a string, or only just. */
export const LONGEST_LINE = 256 * 1024 * 1024

/** Null stands for a line that was too long to be kept. */
export async function* linesOf(input: Readable, longest = LONGEST_LINE): AsyncGenerator<Buffer | null> {
  let pieces: Buffer[] = []
  let size = 0
  const add = (piece: Buffer) => {
    size += piece.length
    if (size <= longest) pieces.push(piece)
    else pieces = []
  }
  const take = () => {
    const line = size > longest ? null : pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    pieces = []
    size = 0
    return line
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end + 1))
      yield take()
      from = end + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
  if (size > 0) yield take()
}
