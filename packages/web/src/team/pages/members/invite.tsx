import { type InviteMemberResponse, PeopleService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Confirm, Info } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { Choice, TextField } from '../../../parts/fields.js'
import { whole } from '../../../words/time.js'
import { useCall } from '../../act.js'
import { useTeam } from '../../context.js'
import { mayGive, ROLE_WORDS, ROLES } from '../../roles.js'

/** The link is shown once: if it is lost, invite again. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const { me } = useTeam()
  const invite = useCall(PeopleService.method.inviteMember, ['ListMembers'])
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('author')
  const [made, setMade] = useState<InviteMemberResponse | null>(null)
  if (made) return <Made email={email} made={made} onClose={onClose} />
  const go = async () => {
    setMade(await invite({ email, role }))
  }
  return (
    <Confirm
      title="Invite a member"
      action={email.trim() === '' ? 'Invite' : `Invite ${email.trim()} as ${role}`}
      kind="primary"
      because={email.trim() === '' ? 'Enter an email address first.' : undefined}
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
        hint="The server sends no email. You get a link to pass on."
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
  <Info title="The invitation is ready" onClose={onClose}>
    <p>
      Give this link to {email}. It works once, until {whole(made.expiresAt)}, and is not shown again.
    </p>
    <Copy label="the link" text={made.link} />
  </Info>
)
