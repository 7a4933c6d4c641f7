// Instead of a list without rows: what was looked for, or how there will be some.

import { Button } from '../../../parts/button.js'
import type { Range } from '../../../parts/filters-range.js'
import { Empty } from '../../../parts/states.js'
import { line } from '../../../words/plain.js'
import { usePanel } from '../../context.js'
import { isNarrowed, type RunsSearch } from './asked.js'

export function None({
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
        Looked for {names.join(', ')}, {range.label.toLowerCase()}.
      </Empty>
    )
  }
  const event = workspace.events.find(({ gate }) => gate === 'permission')?.name ?? workspace.events[0]?.name
  return (
    <Empty
      title={range.kind === 'all' ? 'No runs yet' : `No runs: ${range.label.toLowerCase()}`}
      action={range.kind === 'all' ? undefined : <Button onClick={onAll}>Look at all time</Button>}
    >
      <p>Every hook that runs leaves a line here, as it happens.</p>
      {event ? (
        <p>
          To see one, run <code>holdfast fire {event}</code> in this workspace.
        </p>
      ) : null}
    </Empty>
  )
}
