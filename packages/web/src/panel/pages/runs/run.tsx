// A run on its own page.

import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../../../parts/button.js'
import { Page } from '../../../parts/page.js'
import { Region } from '../../../parts/states.js'
import { useKeys } from '../../../shell/keys.js'
import { line } from '../../../words/plain.js'
import { run as runRoute } from '../../routes.js'
import { RunHead, RunPath, useRun } from './detail.js'
import { keptRuns } from './feed.js'
import styles from './runs.module.css'

export function Run() {
  const { id } = runRoute.useParams()
  const navigate = runRoute.useNavigate()
  const run = useRun(id)
  const all = keptRuns()
  const at = all.indexOf(id)
  const before = at > 0 ? all[at - 1] : undefined
  const after = at === -1 ? undefined : all[at + 1]
  const go = (to: string | undefined) => {
    if (to) void navigate({ to: '/runs/$id', params: { id: to }, replace: true })
  }
  useKeys([
    { keys: '[', label: 'Previous', group: 'Detail', run: () => go(before) },
    { keys: ']', label: 'Next', group: 'Detail', run: () => go(after) },
    {
      keys: 'Escape',
      label: 'Back to the list',
      group: 'Detail',
      run: () => (history.length > 1 ? history.back() : void navigate({ to: '/runs' })),
    },
  ])
  const because = 'Open a run from the list to move through it.'
  return (
    <Page
      title="Run"
      name={line(run.data?.path?.subject.slice(0, 80) || run.data?.path?.event || 'Run')}
      actions={
        <span className={styles.neighbours}>
          <Button aria-label="Previous" because={before ? undefined : because} onClick={() => go(before)}>
            <ChevronLeft size={14} aria-hidden="true" />
          </Button>
          <Button aria-label="Next" because={after ? undefined : because} onClick={() => go(after)}>
            <ChevronRight size={14} aria-hidden="true" />
          </Button>
        </span>
      }
    >
      <div className={styles.alone}>
        <Region of={run}>
          {answer => (
            <>
              <div>
                <RunHead id={id} run={answer} isAlone />
              </div>
              <RunPath id={id} answer={answer} />
            </>
          )}
        </Region>
      </div>
    </Page>
  )
}
