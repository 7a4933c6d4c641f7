// Shown when no run matches, or when there is none yet.

import { Button } from '../../../parts/button.js'
import type { Range } from '../../../parts/filters-range.js'
import { Empty } from '../../../parts/states.js'
import { line } from '../../../words/plain.js'
import { usePanel } from '../../context.js'
import { isNarrowed, type RunsSearch } from './run-filter.js'

export function NoRuns({
  search,
  range,
  onClear,
  onAll,
}: {
  readonly search: RunsSearch
  readonly range: Range
  readonly onClear: () => void
  readonly onAll: () => void
}) {
  const { workspace } = usePanel()
  if (isNarrowed(search)) {
    const names = [
      ['verdict', search.verdict],
      ['event', search.event],
      ['hook', search.hook],
      ['source', search.source],
      ['text', search.q && `“${search.q}”`],
    ].flatMap(([name, value]) => (value ? [`${name} ${line(value)}`] : []))
    return (
      <Empty title="No runs match" action={<Button onClick={onClear}>Clear the filters</Button>}>
        Filtered by {names.join(', ')}, {range.label.toLowerCase()}.
      </Empty>
    )
  }
  const event = workspace.events.find(({ gate }) => gate === 'permission')?.name ?? workspace.events[0]?.name
  return (
    <Empty
      title={range.kind === 'all' ? 'No runs yet' : `No runs: ${range.label.toLowerCase()}`}
      action={range.kind === 'all' ? undefined : <Button onClick={onAll}>Show all time</Button>}
    >
      <p>Every hook that runs is listed here at once.</p>
      {event ? (
        <p>
          To see one, run <code>holdfast fire {event}</code> in this workspace.
        </p>
      ) : null}
    </Empty>
  )
}
