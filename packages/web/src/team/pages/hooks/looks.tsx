// The words that a hook's row and its glance have in common.

import type { TeamHook } from '@holdfast/team/messages'
import { SYSTEMS } from '../hook/form.js'
import styles from './hooks.module.css'
import type { HookState } from './sort.js'

export const systemsOf = (content: TeamHook | undefined): string =>
  content && content.operatingSystems.length > 0
    ? SYSTEMS.filter(({ name }) => content.operatingSystems.includes(name))
        .map(({ label }) => label)
        .join(', ')
    : 'all'

export const ModeWord = ({ content }: { readonly content: TeamHook | undefined }) => {
  if (!content) return <span className="faint">–</span>
  if (!content.isActive) return <span className="muted">inactive</span>
  return content.mode === 'observe' ? (
    <span className={styles.badge} data-tone="none">
      observe
    </span>
  ) : (
    <span>enforce</span>
  )
}

const TONES: Readonly<Record<HookState, string>> = {
  'in force': 'allow',
  'in force, draft': 'ask',
  draft: 'ask',
  'taken out': 'none',
  empty: 'none',
}
const LABELS: Readonly<Record<HookState, string>> = {
  'in force': 'published',
  'in force, draft': 'draft changed',
  draft: 'draft',
  'taken out': 'taken out',
  empty: 'empty',
}

export const StateWord = ({ state }: { readonly state: HookState }) => (
  <span
    className={styles.badge}
    data-tone={TONES[state]}
    data-plain={state === 'in force' || state === 'taken out' || state === 'empty' || undefined}
  >
    {LABELS[state]}
  </span>
)
