import { Link } from '@tanstack/react-router'
import { Info } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { useTeam } from '../../context.js'
import { useServer } from '../../server.js'

/** As the device shows it. */
const forEyes = (fingerprint: string) => fingerprint.match(/.{1,4}/g)?.join(' ') ?? ''

export function Enrol({ onClose }: { readonly onClose: () => void }) {
  const { me } = useTeam()
  const { url } = useServer()
  return (
    <Info title="Enrol a device" onClose={onClose}>
      <section>
        <h3>One machine</h3>
        <p className="muted">
          Run this command on the machine. It shows a code: enter the code at <a href="/device">/device</a>{' '}
          and approve the machine. Compare the fingerprint first: <code>{forEyes(me.fingerprint)}</code>
        </p>
        <Copy label="the command" text={`holdfast login ${url}`} />
      </section>
      <section>
        <h3>A fleet</h3>
        <p className="muted">
          A key enrols machines without a user at each of them: for some hours, up to a limit, into one group.
        </p>
        <Link to="/devices/keys" onClick={onClose}>
          Enrolment keys
        </Link>
      </section>
    </Info>
  )
}
