import { Copy } from '../../../parts/copy.js'
import { Facts } from '../../../parts/facts.js'
import fields from '../../../parts/fields.module.css'
import { Loading, Region } from '../../../parts/states.js'
import { areKeysOn, switchKeys } from '../../../shell/keys.js'
import { line } from '../../../words/plain.js'
import { useTeam } from '../../context.js'
import { ROLE_WORDS } from '../../roles.js'
import { useServer } from '../../server.js'
import { Section } from './section.js'

export function SignIn() {
  const { me } = useTeam()
  const { server, because } = useServer()
  const role = me.member?.role ?? ''
  return (
    <>
      <Section title="You">
        <Facts
          facts={[
            ['Name', line(me.member?.name ?? '')],
            ['Email', line(me.member?.email ?? '')],
            ['Role', `${role}: ${(ROLE_WORDS[role] ?? '').toLowerCase()}`],
            ['Signs in by', me.member?.signsInBy === 'oidc' ? 'OIDC' : 'password'],
          ]}
        />
        <p>
          <a href="/account">
            {me.member?.signsInBy === 'password'
              ? 'Change the password or sign out'
              : 'Your account, and sign out'}
          </a>
        </p>
        <label className={fields.check}>
          <input
            type="checkbox"
            defaultChecked={areKeysOn()}
            onChange={event => switchKeys(event.target.checked)}
          />
          Use single keys outside of text fields (press ? for the list)
        </label>
      </Section>
      <Section
        title="Sign-in of the team"
        about="Members sign in with a password or with the identity provider of your organisation. Options of the server set it, so that a session cannot change who has access."
      >
        <Region of={server} loading={because ? <p className="muted">{because}</p> : <Loading />}>
          {({ oidcIssuer, oidcDomains, oidcDefaultRole }) =>
            oidcIssuer ? (
              <Facts
                facts={[
                  ['Issuer', line(oidcIssuer)],
                  [
                    'Access',
                    oidcDomains.length > 0
                      ? `Invited people, and everyone from ${oidcDomains.map(line).join(', ')} as ${oidcDefaultRole}`
                      : 'Invited people only',
                  ],
                ]}
              />
            ) : (
              <>
                <p>
                  There is no identity provider: all members sign in with a password. To add one, start the
                  server with
                </p>
                <Copy
                  label="the options"
                  text="HOLDFAST_OIDC_SECRET=… holdfast serve --oidc-issuer https://… --oidc-client … --oidc-domain example.com"
                />
              </>
            )
          }
        </Region>
      </Section>
      <Section title="This server">
        <Region of={server} loading={because ? <p className="muted">{because}</p> : <Loading />}>
          {({ url, version, database }) => (
            <Facts
              facts={[
                ['Address', line(url)],
                ['Version', line(version)],
                ['Database', database === 'postgres' ? 'PostgreSQL' : 'SQLite, in a file'],
                ['Team', `${line(me.teamName)} · ${me.teamId}`],
                ['Fingerprint', <code key="pin">{me.fingerprint}</code>],
              ]}
            />
          )}
        </Region>
      </Section>
    </>
  )
}
