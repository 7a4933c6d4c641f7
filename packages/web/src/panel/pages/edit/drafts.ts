// Text that is not saved yet outlives the page it was typed in, as long as the tab is open.

export interface Draft {
  /** What was read from disk, and what it was called then. */
  readonly base: string
  readonly hash: string
  readonly text: string
}

const drafts = new Map<string, Draft>()

export const draftOf = (sourceId: string): Draft | undefined => drafts.get(sourceId)

export function keepDraft(sourceId: string, draft: Draft): void {
  if (draft.text === draft.base) drafts.delete(sourceId)
  else drafts.set(sourceId, draft)
}

export const dropDraft = (sourceId: string): void => void drafts.delete(sourceId)
