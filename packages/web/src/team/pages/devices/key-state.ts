import type { EnrolmentKey } from '@holdfast/team/messages'

type KeyState = Pick<EnrolmentKey, 'revoked' | 'expiresAt' | 'uses' | 'maxUses'>

/** Whether a key can still enrol devices, and why not. */
export function keyState(key: KeyState, now: number): { readonly words: string; readonly isOpen: boolean } {
  if (key.revoked) return { words: 'revoked', isOpen: false }
  if (Date.parse(key.expiresAt) <= now) return { words: 'over', isOpen: false }
  if (key.uses >= key.maxUses) return { words: 'used up', isOpen: false }
  return { words: 'open', isOpen: true }
}
