import { ConnectError } from '@connectrpc/connect'
import { useMutation } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Copy, CopyButton } from '../../../parts/copy.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { clock } from '../../../words/time.js'
import { useServer } from '../../server.js'
import styles from './chain.module.css'

/** The state of the chain as the server sees it, and the command that verifies it on another machine. */
export function Chain() {
  const verify = useMutation(AuditService.method.verifyChain)
  const { url } = useServer()
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const { mutate } = verify
  const check = () => mutate({}, { onSuccess: () => setAt(Date.now()) })
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    mutate({}, { onSuccess: () => setAt(Date.now()) })
  }, [mutate])
  const { data, error } = verify
  const isBroken = data !== undefined && data.state !== 'whole'
  return (
    <section className={styles.chain} data-broken={isBroken || undefined} aria-label="Chain of actions">
      <div className="row">
        <span role="status" className={styles.words}>
          {data
            ? isBroken
              ? `The chain is ${data.state} after action ${data.verifiedTo}: ${line(data.message)}`
              : `Verified to action ${data.verifiedTo} at ${clock(at).slice(0, 5)}`
            : error
              ? `Verification failed: ${ConnectError.from(error).rawMessage || 'the server did not answer.'}`
              : 'Verifying'}
        </span>
        {data ? (
          <span className={styles.head}>
            head <code title={data.headHash}>{data.headHash.slice(0, 12)}…</code>
            <CopyButton label="the head hash" text={data.headHash} />
          </span>
        ) : null}
        <Button busy={verify.isPending} onClick={check}>
          Verify now
        </Button>
        <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Verify on your machine
        </Button>
      </div>
      {isOpen ? (
        <div className={styles.more}>
          <p>
            Each action contains the hash of the previous one. Compare the head hash with one that you noted
            earlier, or verify the chain on your machine, together with what devices have witnessed:
          </p>
          <Copy label="the command" text={`HOLDFAST_TOKEN=hfp_… holdfast audit verify --server ${url}`} />
          <p className="muted">{data ? `${count(data.verifiedTo, 'action')} so far.` : ''}</p>
        </div>
      ) : null}
    </section>
  )
}
