// Rows of one height: the visible range is a division, however many there are.

export interface Rows {
  readonly count: number
  readonly height: number
  /** Parts that cover the first rows: the head, a strip. */
  readonly above: number
}

export interface SightBox {
  readonly scrollTop: number
  readonly height: number
}

export interface Sight {
  readonly first: number
  readonly last: number
}

const within = (value: number, most: number) => Math.max(0, Math.min(value, most))

/** The first and the last visible row, also partly. Without rows, the last is -1. */
export function sightOf({ count, height, above }: Rows, box: SightBox): Sight {
  const seen = Math.max(0, box.height - above)
  return {
    first: within(Math.floor(box.scrollTop / height), count - 1),
    last: Math.min(Math.max(0, Math.ceil((box.scrollTop + seen) / height) - 1), count - 1),
  }
}

/** A margin on either side, so that scrolling finds rows drawn. */
export const around = ({ first, last }: Sight, count: number, more: number): Sight => ({
  first: Math.max(0, first - more),
  last: Math.min(count - 1, last + more),
})

/** The scroll position at which a row is completely visible; moves as little as necessary. */
export function topFor(index: number, { height, above }: Rows, box: SightBox): number {
  const start = index * height
  const end = above + start + height - box.height
  if (start < box.scrollTop) return start
  return end > box.scrollTop ? Math.min(end, start) : box.scrollTop
}
