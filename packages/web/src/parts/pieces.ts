/** In characters: some two hundred short lines. */
const PIECE = 4000

/** A text in pieces of complete lines, so that a browser lays out only the visible ones. */
export function piecesOf(text: string, length = PIECE): string[] {
  const pieces: string[] = []
  for (let from = 0, to = 0; from < text.length; from = to) {
    const last = from + length >= text.length ? text.length : text.lastIndexOf('\n', from + length - 1) + 1
    // A line that is longer than a piece is not split: the break would be copied, too.
    to = last > from ? last : text.indexOf('\n', from + length) + 1 || text.length
    pieces.push(text.slice(from, to))
  }
  return pieces
}
