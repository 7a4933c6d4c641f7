import { useQuery } from '@connectrpc/connect-query'
import { PanelService } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Page } from '../../parts/page.js'
import { Region } from '../../parts/states.js'

export function Hooks() {
  const sources = useQuery(PanelService.method.listSources, {})
  return (
    <Page title="Hooks">
      <Region of={sources}>
        {({ sources }) => (
          <ul>
            {sources.map(source => (
              <li key={source.id}>{source.shown}</li>
            ))}
          </ul>
        )}
      </Region>
    </Page>
  )
}
