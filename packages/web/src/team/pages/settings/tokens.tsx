import { useQuery } from '@connectrpc/connect-query'
import { PeopleService, type Token } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm, Info } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { Choice, TextField } from '../../../parts/fields.js'
import { Empty, Region } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { When } from '../../../parts/when.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { moment } from '../../../words/time.js'
import { useCall } from '../../act.js'
import { useTeam } from '../../context.js'
import { mayGive, ROLE_WORDS, ROLES } from '../../roles.js'
import { Section } from './section.js'

export function Tokens() {
  const tokens = useQuery(PeopleService.method.listTokens, { pageSize: 100 })
  const [open, setOpen] = useState<'new' | Token | null>(null)
  return (
    <Section
      title="Your tokens"
      about="For scripts and the command line. A token acts as you, with the lower one of its role and your role."
    >
      <Region of={tokens}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty title="You have no tokens">A token lets a script act as you.</Empty>
          ) : (
            <Table<Token>
              label="Your tokens"
              rows={tokens}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  draw: ({ id, name }) => (
                    <>
                      {line(name)} <code className="muted">hfp_{line(id)}_…</code>
                    </>
                  ),
                },
                { name: 'Role', width: '90px', draw: ({ role }) => role },
                { name: 'Last used', width: '120px', draw: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
                {
                  name: 'Until',
                  width: '190px',
                  draw: ({ expiresAt }) =>
                    Date.parse(expiresAt) <= Date.now() ? `expired ${moment(expiresAt)}` : moment(expiresAt),
                },
                {
                  name: 'Revoke',
                  quiet: true,
                  width: '90px',
                  draw: token => (
                    <Button aria-label={`Revoke ${line(token.name)}`} onClick={() => setOpen(token)}>
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Region>
      <Button kind="primary" onClick={() => setOpen('new')}>
        New token
      </Button>
      {open === 'new' ? <NewToken onClose={() => setOpen(null)} /> : null}
      {open !== null && open !== 'new' ? <RevokeToken token={open} onClose={() => setOpen(null)} /> : null}
    </Section>
  )
}

function NewToken({ onClose }: { readonly onClose: () => void }) {
  const { me } = useTeam()
  const mine = me.member?.role ?? 'auditor'
  const create = useCall(PeopleService.method.createToken, ['ListTokens'])
  const [name, setName] = useState('')
  const [role, setRole] = useState('auditor')
  const [days, setDays] = useState('90')
  const [secret, setSecret] = useState('')
  if (secret)
    return (
      <Info title="The token is ready" onClose={onClose}>
        <p>It is shown once. Anyone who has it acts as you, with the role {role}.</p>
        <Copy label="the token" text={secret} />
      </Info>
    )
  const howMany = /^\d{1,3}$/.test(days.trim()) ? Number(days) : 0
  const wrong =
    name.trim() === ''
      ? 'Enter a name first.'
      : howMany < 1 || howMany > 365
        ? 'Days are 1 to 365.'
        : undefined
  const go = async () => {
    const made = await create({ name: name.trim(), role, days: howMany })
    setSecret(made.secret)
  }
  return (
    <Confirm
      title="New token"
      action={wrong ? 'Create the token' : `Create a token as ${role} for ${count(howMany, 'day')}`}
      kind="primary"
      because={wrong}
      onClose={onClose}
      onConfirm={go}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        maxLength={100}
        hint="The program that uses it."
      />
      <Choice
        label="Role"
        value={role}
        onChange={setRole}
        options={ROLES.filter(one => mayGive(mine, one)).map(one => ({ value: one, label: one }))}
        hint={`${ROLE_WORDS[role]}.`}
      />
      <TextField
        label="Expires after"
        type="number"
        min={1}
        max={365}
        value={days}
        onChange={setDays}
        unit="days"
      />
    </Confirm>
  )
}

function RevokeToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const revoke = useCall(PeopleService.method.revokeToken, ['ListTokens'])
  const go = async () => {
    await revoke({ id: token.id })
    onClose()
  }
  return (
    <Confirm
      title={`Revoke ${line(token.name)}?`}
      action={`Revoke ${line(token.name)}`}
      onClose={onClose}
      onConfirm={go}
    >
      <p>Programs that use it are rejected from now on.</p>
    </Confirm>
  )
}
