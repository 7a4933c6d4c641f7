// hooks.json in the page: by its source, or by one of its hooks.

import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { PanelService } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Empty, Loading, Region } from '../../parts/states.js'
import { hookEdit, sourceEdit } from '../routes.js'
import { EditFile } from './edit/view.js'
import { fromAddress } from './hooks/address.js'

export function EditHook() {
  const id = fromAddress(hookEdit.useParams().hook)
  const hook = useQuery(PanelService.method.getHook, { id })
  return (
    <Region of={hook} loading={<Loading rows={12} />}>
      {({ hook }) => <WithSource id={hook!.sourceId} line={hook!.line} />}
    </Region>
  )
}

export function EditSource() {
  const { source } = sourceEdit.useParams()
  const { line } = sourceEdit.useSearch()
  return <WithSource id={source} line={line ? Number(line) || undefined : undefined} />
}

function WithSource({ id, line }: { readonly id: string; readonly line: number | undefined }) {
  const sources = useQuery(PanelService.method.listSources, {})
  const file = useQuery(PanelService.method.getFile, { sourceId: id })
  return (
    <Region of={sources} loading={<Loading rows={12} />}>
      {({ sources }) => {
        const source = sources.find(each => each.id === id)
        if (!source)
          return (
            <Empty title="There is no such file" action={<Link to="/hooks">To all hooks</Link>}>
              This workspace has no source of that name.
            </Empty>
          )
        return (
          <Region of={file} loading={<Loading rows={12} />}>
            {file => <EditFile key={id} source={source} file={file} line={line} />}
          </Region>
        )
      }}
    </Region>
  )
}
