import { useQuery } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { Figure, Page } from '../../parts/page.js'
import { Region } from '../../parts/states.js'
import { figure } from '../../words/number.js'

export function Overview() {
  const overview = useQuery(AuditService.method.getOverview, {})
  return (
    <Page title="Overview">
      <Region of={overview}>{({ now }) => <Figure value={figure(now?.runs ?? 0)}>runs</Figure>}</Region>
    </Page>
  )
}
