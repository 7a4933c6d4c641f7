import { useQuery } from '@connectrpc/connect-query'
import { KeysService, type TeamKey } from '@holdfast/team/messages'
import { Copy } from '../../../parts/copy.js'
import { Region } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { When } from '../../../parts/when.js'
import { line } from '../../../words/plain.js'
import { moment } from '../../../words/time.js'
import { Section } from './section.js'
import { type TrustVersion, versionsIn } from './trust-chain.js'

const USES: Readonly<Record<string, string>> = {
  root: 'signs which keys are valid; never on the server',
  release: 'signs every release',
  lease: 'signs the release of each device every hour',
}

export function Keys() {
  const trust = useQuery(KeysService.method.getTrust, {})
  return (
    <Region of={trust}>
      {({ fingerprint, keys, chain, unsigned }) => {
        const counting = keys.filter(({ retired }) => !retired)
        const retired = keys.filter(({ retired }) => retired)
        return (
          <>
            <Section
              title="Fingerprint"
              about="The fingerprint of the first keys of this team. Devices compare it when they join. Compare it with a copy from another channel, too."
            >
              <Copy label="the fingerprint" text={fingerprint} />
            </Section>
            {unsigned ? (
              <Section
                title="Not signed yet"
                about="The root keys have not signed the keys of this team, so no device can join. Run “holdfast keys propose”, sign with each root key, and submit."
              />
            ) : null}
            <Section
              title="Valid keys"
              about="Only root keys can change keys: holdfast keys propose, sign and submit."
            >
              <KeyTable label="Valid keys" keys={counting} />
            </Section>
            <Section
              title="Chain of trust"
              about="Root keys of the previous version sign each version. Devices follow the chain from the fingerprint and never go back."
            >
              <Table<TrustVersion>
                label="Chain of trust"
                rows={versionsIn(chain)}
                keyOf={({ version }) => String(version)}
                columns={[
                  { name: 'Version', width: '80px', draw: ({ version }) => version },
                  { name: 'Change', draw: ({ change }) => change },
                  { name: 'Epoch', width: '70px', draw: ({ epoch }) => epoch },
                  {
                    name: 'Issued',
                    width: '160px',
                    draw: ({ issuedAt }) => (issuedAt ? moment(issuedAt) : '–'),
                  },
                  {
                    name: 'Signed by',
                    width: '150px',
                    draw: ({ signers }) => (
                      <code title={signers.join('\n')}>
                        {signers.map(signer => `${line(signer).slice(0, 8)}…`).join(' ')}
                      </code>
                    ),
                  },
                ]}
              />
            </Section>
            {retired.length > 0 ? (
              <Section title="Retired keys" about="Their private keys are deleted from the server.">
                <KeyTable label="Retired keys" keys={retired} />
              </Section>
            ) : null}
          </>
        )
      }}
    </Region>
  )
}

const KeyTable = ({ label, keys }: { readonly label: string; readonly keys: readonly TeamKey[] }) => (
  <Table<TeamKey>
    label={label}
    rows={keys}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Use',
        draw: ({ use }) => (
          <>
            <strong>{use}</strong> <span className="muted">{USES[use] ?? ''}</span>
          </>
        ),
      },
      {
        name: 'Location',
        width: '130px',
        draw: ({ kept, retired }) => (retired ? 'deleted' : kept === 'server' ? 'this server' : 'offline'),
      },
      { name: 'Created', width: '110px', draw: ({ createdAt }) => <When at={createdAt} /> },
      { name: 'Id', width: '150px', draw: ({ id }) => <code title={id}>{line(id).slice(0, 12)}…</code> },
    ]}
  />
)
