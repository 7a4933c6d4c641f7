import { useMutation } from '@connectrpc/connect-query'
import { type Member, PeopleService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../../../parts/confirm.js'
import { askAgain } from '../../../shell/touched.js'
import { line } from '../../../words/plain.js'
import { useTeam } from '../../context.js'

export function RemoveMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { me } = useTeam()
  const queries = useQueryClient()
  const remove = useMutation(PeopleService.method.removeMember)
  const isInvitation = member.signsInBy === 'invited'
  const isMe = member.userId === me.member?.userId
  const name = line(member.name || member.email)
  const go = async () => {
    await remove.mutateAsync({ userId: member.userId })
    if (isMe) return location.assign('/sign-in')
    askAgain(queries, ['ListMembers'])
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
          ? 'The link that was handed over stops working.'
          : `Sessions, tokens and enrolment keys of ${line(member.email)} end at once. Devices that were enrolled stay in the team; revoke them one by one.`}
      </p>
    </Confirm>
  )
}
