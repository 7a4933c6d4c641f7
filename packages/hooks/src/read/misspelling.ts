// A misspelt field may have been a deny, so it makes the response invalid instead of being ignored.

import { editDistance } from '../protocol/edit-distance.js'

/**
 * The known name that was probably meant: the same letters in another case, or at most two typing errors away and less
 * than a third of the name. So `permision` means `permission`, and `end` does not mean `env`. A swap of two neighbours
 * is one error.
 */
export function findMeant(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  return known.find(other => {
    if (Math.abs(other.length - lower.length) > MOST_ERRORS) return false
    const errors = editDistance(lower, other.toLowerCase())
    return errors <= MOST_ERRORS && errors * 3 < other.length
  })
}

const MOST_ERRORS = 2
