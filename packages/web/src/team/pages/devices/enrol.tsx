import { Link } from '@tanstack/react-router'
import { Button } from '../../../parts/button.js'
import { Copy } from '../../../parts/copy.js'
import { Dialog } from '../../../shell/dialog.js'
import { useTeam } from '../../context.js'
import { useServer } from '../../server.js'
import styles from './enrol.module.css'

/** As the device shows it. */
const forEyes = (fingerprint: string) => fingerprint.match(/.{1,4}/g)?.join(' ') ?? ''

export function Enrol({ onClose }: { readonly onClose: () => void }) {
  const { me } = useTeam()
  const { url } = useServer()
  return (
    <Dialog title="Enrol a device" onClose={onClose}>
      <div className={styles.ways}>
        <section>
          <h3>One machine</h3>
          <p className="muted">
            Run this on it. It shows a code; type the code at <a href="/device">/device</a> and approve the
            machine. Compare the fingerprint before you do: <code>{forEyes(me.fingerprint)}</code>
          </p>
          <Copy label="The command" text={`holdfast login ${url}`} />
        </section>
        <section>
          <h3>A fleet</h3>
          <p className="muted">
            A key lets in machines without a person at each keyboard: for some hours, for so many of them,
            into one group.
          </p>
          <Link to="/devices/keys" onClick={onClose}>
            To the enrolment keys
          </Link>
        </section>
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  )
}
