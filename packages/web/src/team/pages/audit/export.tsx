import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { useCommands } from '../../../shell/commands.js'
import { useMay } from '../../context.js'
import type { AskedFilter } from './audit-filter.js'

const ExportDialog = lazy(() =>
  import('./export-dialog.js').then(({ ExportDialog }) => ({ default: ExportDialog })),
)

export function Export({
  filter,
  total,
}: {
  readonly filter: AskedFilter
  readonly total: number | undefined
}) {
  const may = useMay('AuditService/ExportRecords')
  const [isOpen, setOpen] = useState(false)
  useCommands([{ label: 'Export records', kind: 'command', run: () => setOpen(true) }])
  return (
    <>
      <Button because={may} onClick={() => setOpen(true)}>
        Export
      </Button>
      <Suspense>
        {isOpen ? <ExportDialog filter={filter} total={total} onClose={() => setOpen(false)} /> : null}
      </Suspense>
    </>
  )
}
