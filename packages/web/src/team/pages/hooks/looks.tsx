// Shared by the row of a hook and its summary.

import type { TeamHook } from '@holdfast/team/messages'
import { Badge } from '../../../parts/badge.js'
import { SYSTEMS } from '../hook/form.js'

export const systemsOf = (content: TeamHook | undefined): string =>
  content && content.operatingSystems.length > 0
    ? SYSTEMS.filter(({ name }) => content.operatingSystems.includes(name))
        .map(({ label }) => label)
        .join(', ')
    : 'all'

export const ModeWord = ({ content }: { readonly content: TeamHook | undefined }) => {
  if (!content) return <span className="faint">–</span>
  if (!content.isActive) return <span className="muted">inactive</span>
  return content.mode === 'observe' ? <Badge tone="none">observe</Badge> : <span>enforce</span>
}
