import { type Member, PeopleService } from '@holdfast/team/messages'
import { Confirm } from '../../../parts/confirm.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'
import { useTeam } from '../../context.js'

export function RemoveMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { me } = useTeam()
  const remove = useCall(PeopleService.method.removeMember, ['ListMembers'])
  const isInvitation = member.signsInBy === 'invited'
  const isMe = member.userId === me.member?.userId
  const name = line(member.name || member.email)
  const go = async () => {
    await remove({ userId: member.userId })
    if (isMe) return location.assign('/sign-in')
    onClose()
  }
  return (
    <Confirm
      title={
        isInvitation ? `Withdraw the invitation of ${name}?` : isMe ? 'Leave the team?' : `Remove ${name}?`
      }
      action={isInvitation ? 'Withdraw the invitation' : isMe ? 'Leave the team' : `Remove ${name}`}
      onClose={onClose}
      onConfirm={go}
    >
      <p>
        {isInvitation
          ? 'The invitation link stops working.'
          : `Sessions, tokens and enrolment keys of ${line(member.email)} end immediately. Their devices stay in the team; revoke them separately.`}
      </p>
    </Confirm>
  )
}
