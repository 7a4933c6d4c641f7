// The steps from a draft to a release. Each has an address of its own.

import type { Hook } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import buttonStyles from '../../../parts/button.module.css'
import { toHook, toRevision } from '../../links.js'
import styles from './steps.module.css'

export const STEPS = [
  ['write', 'Write'],
  ['test', 'Test'],
  ['what-if', 'What if'],
  ['review', 'Review'],
  ['publish', 'Publish'],
] as const

export type Step = (typeof STEPS)[number][0]

export const stepOf = (name: string | undefined, hook: Hook): Step =>
  STEPS.slice(1).find(([step]) => step === name)?.[0] ?? (hook.fit ? 'review' : 'test')

const linkTo = (hook: Hook, step: Step) =>
  step === 'write' ? toHook(hook.id) : { ...toRevision(hook.id, 'draft'), search: { tab: step } }

/** Without a draft only the first step can be opened. */
export const PublishSteps = ({ hook, at }: { readonly hook: Hook | undefined; readonly at: Step }) => (
  <nav className={styles.steps} aria-label="Steps to publish">
    <ol>
      {STEPS.map(([step, label], index) => {
        const isDone = (step === 'write' && hook?.draft && at !== 'write') || (step === 'test' && hook?.fit)
        const words = (
          <>
            <span className={styles.number} aria-hidden="true">
              {isDone ? '✓' : index + 1}
            </span>
            {label}
            {isDone ? <span className="hidden">, done</span> : null}
          </>
        )
        return (
          <li key={step} data-done={isDone || undefined}>
            {hook?.draft || step === at ? (
              <Link
                {...(hook ? linkTo(hook, step) : { to: '/hooks/new' as const })}
                // The router sets it to "page" on a link to the current address, and leaves it on others.
                aria-current={step === at ? 'step' : undefined}
                activeOptions={{ exact: true }}
                replace={at !== 'write' && step !== 'write'}
              >
                {words}
              </Link>
            ) : (
              <span className={styles.off}>{words}</span>
            )}
          </li>
        )
      })}
    </ol>
  </nav>
)

/** The primary action of a step that is done. */
export function NextStep({ hook, at }: { readonly hook: Hook; readonly at: Step }) {
  const next = STEPS[STEPS.findIndex(([step]) => step === at) + 1]
  if (!next) return null
  const [step, label] = next
  return (
    <Link className={`${buttonStyles.button} ${buttonStyles.primary}`} {...linkTo(hook, step)}>
      {step === 'what-if' ? 'Continue to what-if' : `Continue to ${label.toLowerCase()}`}
    </Link>
  )
}
