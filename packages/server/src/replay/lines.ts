// Lines from a source that may never end one.

/** Takes chunks, returns complete lines; null, once, if a line is too long, and nothing after that. */
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
