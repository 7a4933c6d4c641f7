// One hook on its own page.

import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type GetHookResponse, PanelService } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Page } from '../../parts/page.js'
import { Empty, Region } from '../../parts/states.js'
import { line } from '../../words/plain.js'
import { hook as route } from '../routes.js'
import { HookActions } from './hooks/actions.js'
import { fromAddress } from './hooks/address.js'
import { HookDetail } from './hooks/detail.js'
import styles from './hooks/hooks.module.css'
import { HookState } from './hooks/state.js'
import { TrustDialog } from './hooks/trust.js'

export function HookPage() {
  const { hook } = route.useParams()
  const id = fromAddress(hook)
  return id === '' ? (
    <Empty title="There is no such hook" action={<Link to="/hooks">To all hooks</Link>}>
      The address does not name one.
    </Empty>
  ) : (
    <Known id={id} />
  )
}

function Known({ id }: { readonly id: string }) {
  const detail = useQuery(PanelService.method.getHook, { id })
  return <Region of={detail}>{answer => <Whole answer={answer} />}</Region>
}

function Whole({ answer }: { readonly answer: GetHookResponse }) {
  const hook = answer.hook!
  const [isTrusting, setTrusting] = useState(false)
  return (
    <Page
      title={<span className={styles.wholeName}>{line(hook.name)}</span>}
      name={line(hook.name)}
      figures={
        <>
          <span>{hook.event}</span>
          <HookState hook={hook} />
          <Link to="/hooks" search={{ hook: hook.id }}>
            In the list
          </Link>
        </>
      }
      actions={<HookActions hook={hook} onTrust={() => setTrusting(true)} />}
    >
      <div className={styles.wholeBody}>
        <HookDetail answer={answer} level={2} />
      </div>
      {isTrusting ? <TrustDialog hooks={[hook]} onClose={() => setTrusting(false)} /> : null}
    </Page>
  )
}
