// Unsaved text, kept until the tab is closed.

export interface Draft {
  /** The text on disk when editing began, and its hash. */
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
