import { PROFILE_NAMES, type ProfileName } from '@holdfast/hooks/protocol'
import { known } from '../../options.js'

/** Each once, in the order in which they were named. */
export const profilesNamed = (words: readonly string[]): ProfileName[] => [
  ...new Set(words.map(word => known('profile', word, PROFILE_NAMES))),
]
