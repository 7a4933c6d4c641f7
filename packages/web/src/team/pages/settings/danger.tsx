import { useQuery } from '@connectrpc/connect-query'
import { KeysService, RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { useMay } from '../../context.js'
import { type RotatedUse, RotateKey } from './rotate.js'
import { Section } from './section.js'

/** What touches every device at once, or cannot be taken back. */
export function Danger() {
  const trust = useQuery(KeysService.method.getTrust, {})
  const rollout = useQuery(RolloutService.method.getRolloutSettings, {})
  const mayRotate = useMay('KeysService/RotateKeys')
  const [rotating, setRotating] = useState<RotatedUse | null>(null)
  const isRootHere = trust.data?.keys.some(
    ({ use, kept, retired }) => use === 'root' && kept === 'server' && !retired,
  )
  const because =
    mayRotate ??
    (trust.data && !isRootHere
      ? 'The root key is kept elsewhere: rotate with “holdfast keys rotate”, where it is.'
      : undefined)
  return (
    <>
      <Section
        danger
        title="The release key was stolen"
        about="A new release key, and a new epoch in which the numbers of the old one no longer count. Publish once afterwards."
      >
        <Button kind="danger" because={because} onClick={() => setRotating('release')}>
          Rotate the release key and begin a new epoch
        </Button>
      </Section>
      <Section
        danger
        title="A new root key"
        about="For the day when the machine of the server was in other hands. The recovery key goes on counting."
      >
        <Button kind="danger" because={because} onClick={() => setRotating('root')}>
          Rotate the root key
        </Button>
      </Section>
      <Section
        danger
        title="Kill switch"
        about={
          rollout.data?.killed
            ? 'It is on: no device runs a hook of the team.'
            : 'Stops all hooks of the team on every device that hears of it. It stands with the releases.'
        }
      >
        <Link to={'/rollout' as never}>To the kill switch</Link>
      </Section>
      {rotating ? (
        <RotateKey use={rotating} newEpoch={rotating === 'release'} onClose={() => setRotating(null)} />
      ) : null}
    </>
  )
}
