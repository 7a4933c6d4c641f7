// Interleaved measuring: the speed of a shared machine drifts, so compared subjects run in turn.

export const median = values => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const pause = () => new Promise(resolve => setTimeout(resolve, 1))

/** Runs each subject in turn, `rounds` times after a few warm-up rounds. Returns medians in milliseconds. */
export async function interleave(subjects, rounds, warmUp = 5) {
  const names = Object.keys(subjects)
  const times = Object.fromEntries(names.map(name => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    // Every other round runs backwards, so that no subject always follows the same one.
    for (const name of round % 2 ? names : names.toReversed()) {
      const began = performance.now()
      await subjects[name]()
      if (round >= 0) times[name].push(performance.now() - began)
      // Work that one subject left behind must not count for the next.
      await pause()
    }
  }
  return Object.fromEntries(names.map(name => [name, median(times[name])]))
}

const rows = []

/** Compares one figure with its bar: at most the bar, or with the unit "≥" at least. */
export function report(title, value, bar, unit, detail = '') {
  const isShare = unit === '≥'
  const ok = isShare ? value >= bar : value <= bar
  rows.push({ title, value, bar, ok })
  const isTimes = unit === '×' || isShare
  const digits = value < 10 && !Number.isInteger(value) ? 2 : 0
  const show = isTimes ? `× ${value.toFixed(2)}` : `${value.toFixed(digits)} ${unit}`
  const limit = isShare ? `≥ ${bar}` : unit === '×' ? `× ${bar}` : `${bar} ${unit}`
  process.stdout.write(
    `  ${ok ? 'met   ' : 'MISSED'}  ${title.padEnd(58)} ${show.padStart(10)}   bar ${limit.padEnd(9)} ${detail}\n`,
  )
}

/** A figure without a bar, for comparison. */
export function inform(title, value, detail = '') {
  process.stdout.write(
    `          ${title.padEnd(58)} ${`× ${value.toFixed(2)}`.padStart(10)}                 ${detail}\n`,
  )
}

export const missedBars = () => rows.splice(0).filter(row => !row.ok).length
