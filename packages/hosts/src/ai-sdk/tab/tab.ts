// Inline completion: the files that it may read, and its changes. There is no conversation around it, only files.

import { HookBlockedError, type Session } from '@holdfast/hooks'
import { type Change, editsOf } from './edits.js'

export type TabRead =
  | { readonly kind: 'go'; readonly content: string }
  /** The completion must not use this file; `reason` is for the user. */
  | { readonly kind: 'blocked'; readonly reason: string }

export interface Tab {
  /** Before a file becomes part of what the model sees. `content` is the editor's, saved or not. */
  read(filePath: string, content: string, signal?: AbortSignal): Promise<TabRead>
  /** After the user accepted a completion and the file contains it: `withChanges` computes the new text. */
  edited(filePath: string, before: string, changes: readonly Change[]): Promise<void>
}

/** `session` from `hooks.startSession()`, or from `hooks.resumeSession()` where completions have none of their own. */
export const openTab = (session: Session): Tab => ({
  async read(filePath, content, signal) {
    try {
      const fields = { file_path: filePath, content }
      await session.guard('beforeTabFileRead', fields, signal ? { signal } : {})
      return { kind: 'go', content }
    } catch (error) {
      if (!HookBlockedError.isInstance(error)) throw error
      return { kind: 'blocked', reason: (error as HookBlockedError).userMessage }
    }
  },
  async edited(filePath, before, changes) {
    const edits = editsOf(before, changes)
    if (edits.length > 0) await session.fire('afterTabFileEdit', { file_path: filePath, edits })
  },
})
