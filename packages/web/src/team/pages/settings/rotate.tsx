import { useMutation } from '@connectrpc/connect-query'
import { KeysService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../../../parts/confirm.js'
import { askAgain } from '../../../shell/touched.js'

export type RotatedUse = 'release' | 'lease' | 'root'

const WHAT: Readonly<Record<RotatedUse, string>> = {
  release:
    'The server makes a new release key. Devices take only releases that the new key signed: publish once afterwards, or new devices find nothing.',
  lease: 'The server makes a new lease key and signs every lease with it from now on. Nothing else changes.',
  root: 'The server makes a new root key. It signs the next version of trust together with the old one; the recovery key stays.',
}

export function RotateKey({
  use,
  newEpoch,
  onClose,
}: {
  readonly use: RotatedUse
  readonly newEpoch: boolean
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const rotate = useMutation(KeysService.method.rotateKeys)
  const go = async () => {
    await rotate.mutateAsync({ use, newEpoch })
    askAgain(queries, ['GetTrust', 'ListAdminActions', 'ListReleases'])
    onClose()
  }
  return (
    <Confirm
      title={`Rotate the ${use} key?`}
      action={newEpoch ? `Rotate the ${use} key and begin a new epoch` : `Rotate the ${use} key`}
      typed={`rotate ${use}`}
      onClose={onClose}
      onConfirm={go}
    >
      <p>{WHAT[use]}</p>
      {newEpoch ? (
        <p>
          With the new epoch every device forgets the numbers that a stolen key may have used up. Only do this
          when the key was stolen.
        </p>
      ) : null}
    </Confirm>
  )
}
