// Lines from somebody who may never end one.

/** Takes pieces, gives whole lines; null, once, when a line is longer than it may be, and nothing after that. */
export function linesOf(longest: number, take: (line: string | null) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  let size = 0
  let isOver = false
  return chunk => {
    let start = 0
    for (let end = chunk.indexOf(10); !isOver && end !== -1; end = chunk.indexOf(10, start)) {
      rest.push(chunk.subarray(start, end))
      take(Buffer.concat(rest).toString('utf8'))
      rest = []
      size = 0
      start = end + 1
    }
    if (isOver) return
    rest.push(chunk.subarray(start))
    size += chunk.length - start
    if (size <= longest) return
    isOver = true
    rest = []
    take(null)
  }
}
