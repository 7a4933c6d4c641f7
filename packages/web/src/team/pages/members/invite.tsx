import { useMutation } from '@connectrpc/connect-query'
import { type InviteMemberResponse, PeopleService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { Choice, TextField } from '../../../parts/fields.js'
import { Dialog } from '../../../shell/dialog.js'
import { askAgain } from '../../../shell/touched.js'
import { whole } from '../../../words/time.js'
import { useTeam } from '../../context.js'
import { mayGive, ROLE_WORDS, ROLES } from '../../roles.js'
import styles from './invite.module.css'

/** The link is shown once: who loses it invites again. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const { me } = useTeam()
  const queries = useQueryClient()
  const invite = useMutation(PeopleService.method.inviteMember)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('author')
  const [made, setMade] = useState<InviteMemberResponse | null>(null)
  if (made) return <Made email={email} made={made} onClose={onClose} />
  const go = async () => {
    setMade(await invite.mutateAsync({ email, role }))
    askAgain(queries, ['ListMembers'])
  }
  return (
    <Confirm
      title="Invite a member"
      action={email.trim() === '' ? 'Invite' : `Invite ${email.trim()} as ${role}`}
      kind="primary"
      because={email.trim() === '' ? 'Name the address first.' : undefined}
      onClose={onClose}
      onConfirm={go}
    >
      <TextField
        label="Email"
        type="email"
        value={email}
        onChange={setEmail}
        autoComplete="off"
        maxLength={254}
        hint="Nothing is sent. You get a link, and hand it over yourself."
      />
      <Choice
        label="Role"
        value={role}
        onChange={setRole}
        options={ROLES.filter(one => mayGive(me.member?.role ?? '', one)).map(one => ({
          value: one,
          label: one,
        }))}
        hint={`${ROLE_WORDS[role]}.`}
      />
    </Confirm>
  )
}

const Made = ({
  email,
  made,
  onClose,
}: {
  readonly email: string
  readonly made: InviteMemberResponse
  readonly onClose: () => void
}) => (
  <Dialog title="The invitation is ready" onClose={onClose}>
    <div className={styles.made}>
      <p>
        Give this link to {email}. It works once, until {whole(made.expiresAt)}, and is not shown again.
      </p>
      <Copy label="The link" text={made.link} />
      <Button onClick={onClose}>Done</Button>
    </div>
  </Dialog>
)
