// Rows of one height: which of them are in sight is a division, however many there are.

export interface Rows {
  readonly count: number
  readonly height: number
  /** What lies over the first rows: the head, a strip. */
  readonly above: number
}

export interface Box {
  readonly scrollTop: number
  readonly height: number
}

export interface Sight {
  readonly first: number
  readonly last: number
}

const within = (value: number, most: number) => Math.max(0, Math.min(value, most))

/** The first and the last row that are seen, also in part. Of no rows, the last is -1. */
export function sightOf({ count, height, above }: Rows, box: Box): Sight {
  const seen = Math.max(0, box.height - above)
  return {
    first: within(Math.floor(box.scrollTop / height), count - 1),
    last: Math.min(Math.max(0, Math.ceil((box.scrollTop + seen) / height) - 1), count - 1),
  }
}

/** Some more on either side, so that a scroll finds them drawn. */
export const around = ({ first, last }: Sight, count: number, more: number): Sight => ({
  first: Math.max(0, first - more),
  last: Math.min(count - 1, last + more),
})

/** Where to scroll to so that a row is seen whole; as far as needed and no further. */
export function topFor(index: number, { height, above }: Rows, box: Box): number {
  const start = index * height
  const end = above + start + height - box.height
  if (start < box.scrollTop) return start
  return end > box.scrollTop ? Math.min(end, start) : box.scrollTop
}
