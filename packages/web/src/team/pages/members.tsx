import { ConnectError } from '@connectrpc/connect'
import { useInfiniteQuery, useMutation } from '@connectrpc/connect-query'
import { type Member, PeopleService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/button.js'
import { Choice, Wrong } from '../../parts/fields.js'
import { Figure, Page } from '../../parts/page.js'
import { Region } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { When } from '../../parts/when.js'
import { BY_TOKEN } from '../../shell/by-token.js'
import { useCommands } from '../../shell/commands.js'
import { askAgain } from '../../shell/touched.js'
import { figure } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { useMay, useTeam } from '../context.js'
import { mayGive, ROLE_WORDS, ROLES } from '../roles.js'
import { Invite } from './members/invite.js'
import { RemoveMember } from './members/remove.js'
import styles from './members.module.css'

const INVITED = 'invited'
const isInvited = ({ signsInBy }: Member) => signsInBy === INVITED
export const nameOf = ({ name, email }: Member): string => line(name || email)

export function Members() {
  const members = useInfiniteQuery(
    PeopleService.method.listMembers,
    { pageSize: 200, pageToken: '' },
    BY_TOKEN,
  )
  const mayInvite = useMay('PeopleService/InviteMember')
  const [open, setOpen] = useState<'invite' | Member | null>(null)
  useCommands(
    mayInvite === undefined
      ? [{ label: 'Invite a member', kind: 'command', run: () => setOpen('invite') }]
      : [],
  )
  const all = members.data?.pages.flatMap(page => page.members) ?? []
  const waiting = all.filter(isInvited).length
  return (
    <Page
      title="Members"
      isLoading={members.isLoading}
      figures={
        members.data ? (
          <>
            <Figure value={figure(all.length - waiting)}>in the team</Figure>
            {waiting > 0 ? <Figure value={figure(waiting)}>invited</Figure> : null}
          </>
        ) : null
      }
      actions={
        <Button kind="primary" because={mayInvite} onClick={() => setOpen('invite')}>
          Invite a member
        </Button>
      }
    >
      <div className={styles.body}>
        <Region of={members}>{() => <List members={all} onRemove={setOpen} />}</Region>
        {members.hasNextPage ? (
          <Button busy={members.isFetchingNextPage} onClick={() => void members.fetchNextPage()}>
            Show more members
          </Button>
        ) : null}
        <section className={styles.roles} aria-labelledby="roles">
          <h2 id="roles">Roles</h2>
          <dl>
            {[...ROLES].reverse().map(role => (
              <div key={role}>
                <dt>{role}</dt>
                <dd>{ROLE_WORDS[role]}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      {open === 'invite' ? <Invite onClose={() => setOpen(null)} /> : null}
      {open !== null && open !== 'invite' ? (
        <RemoveMember member={open} onClose={() => setOpen(null)} />
      ) : null}
    </Page>
  )
}

function List({
  members,
  onRemove,
}: {
  readonly members: readonly Member[]
  readonly onRemove: (member: Member) => void
}) {
  const { me } = useTeam()
  const mine = me.member?.role ?? ''
  const mayRemove = useMay('PeopleService/RemoveMember')
  const owners = members.filter(member => member.role === 'owner' && !isInvited(member)).length
  /** Why a member cannot be changed: the team needs an owner, and members cannot change higher roles. */
  const protectedBecause = (member: Member): string | undefined => {
    if (!mayGive(mine, member.role)) return `This needs the role ${member.role}.`
    if (member.role === 'owner' && owners === 1 && !isInvited(member))
      return 'The team needs an owner. Make another member an owner first.'
    return undefined
  }
  return (
    <Table<Member>
      label="Members"
      rows={members}
      keyOf={({ userId }) => userId}
      columns={[
        {
          name: 'Name',
          draw: member => (
            <span className={styles.who}>
              <span className={styles.name}>
                {nameOf(member)}
                {member.userId === me.member?.userId ? <span className="muted"> (you)</span> : null}
              </span>
              {member.name ? <span className="muted">{line(member.email)}</span> : null}
            </span>
          ),
        },
        {
          name: 'Role',
          width: '170px',
          draw: member => <RoleOf member={member} because={protectedBecause(member)} />,
        },
        {
          name: 'Signs in by',
          width: '150px',
          draw: ({ signsInBy }) => SIGN_IN[signsInBy] ?? line(signsInBy),
        },
        {
          name: 'Last seen',
          width: '120px',
          draw: member =>
            isInvited(member) ? <span className="muted">not yet</span> : <When at={member.lastSeenAt} />,
        },
        {
          name: 'Remove',
          quiet: true,
          width: '100px',
          draw: member => (
            <Button
              because={mayRemove ?? protectedBecause(member)}
              onClick={() => onRemove(member)}
              aria-label={
                isInvited(member)
                  ? `Withdraw the invitation of ${nameOf(member)}`
                  : `Remove ${nameOf(member)}`
              }
            >
              {isInvited(member) ? 'Withdraw' : 'Remove'}
            </Button>
          ),
        },
      ]}
    />
  )
}

const SIGN_IN: Readonly<Record<string, string>> = {
  password: 'password',
  oidc: 'OIDC',
  invited: 'invited',
}

function RoleOf({ member, because }: { readonly member: Member; readonly because: string | undefined }) {
  const { me } = useTeam()
  const mine = me.member?.role ?? ''
  const may = useMay('PeopleService/SetMemberRole')
  const queries = useQueryClient()
  const change = useMutation(PeopleService.method.setMemberRole, {
    onSettled: () => askAgain(queries, ['ListMembers']),
  })
  const fixed = isInvited(member)
    ? 'An invitation keeps its role. Invite the address again with another.'
    : because
  return (
    <>
      <Choice
        quiet
        label={`Role of ${nameOf(member)}`}
        value={change.isPending ? (change.variables.role ?? member.role) : member.role}
        options={ROLES.filter(role => mayGive(mine, role) || role === member.role).map(role => ({
          value: role,
          label: role,
        }))}
        because={may ?? fixed}
        busy={change.isPending}
        onChange={role => {
          // Members who lower their own role cannot raise it again.
          const isMe = member.userId === me.member?.userId
          change.mutate({ userId: member.userId, role }, { onSuccess: () => isMe && location.reload() })
        }}
      />
      <Wrong>{change.error ? ConnectError.from(change.error).rawMessage : ''}</Wrong>
    </>
  )
}
