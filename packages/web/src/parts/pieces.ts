/** In letters: some two hundred short lines. */
const PIECE = 4000

/** A text in pieces that each end with a line, so that a browser lays out only those that are seen. */
export function piecesOf(text: string, length = PIECE): string[] {
  const pieces: string[] = []
  for (let from = 0, to = 0; from < text.length; from = to) {
    const last = from + length >= text.length ? text.length : text.lastIndexOf('\n', from + length - 1) + 1
    // A line that is longer than a piece stays whole: a break in it would be copied along.
    to = last > from ? last : text.indexOf('\n', from + length) + 1 || text.length
    pieces.push(text.slice(from, to))
  }
  return pieces
}
