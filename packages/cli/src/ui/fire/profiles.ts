import { PROFILE_NAMES, type ProfileName } from '@holdfast/hooks/protocol'
import { oneOf } from '../../arguments.js'

/** Each once, in the given order. */
export const profilesNamed = (words: readonly string[]): ProfileName[] => [
  ...new Set(words.map(word => oneOf('profile', word, PROFILE_NAMES))),
]
