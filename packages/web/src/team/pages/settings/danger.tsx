import { useQuery } from '@connectrpc/connect-query'
import { RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { Section } from './section.js'

/** Actions that affect every device, or cannot be undone. */
export function Danger() {
  const rollout = useQuery(RolloutService.method.getRolloutSettings, {})
  return (
    <>
      <Section
        danger
        title="A key was stolen"
        about="Root keys are never on the server, so no page and no token can change the keys of the team. A holder of a root key replaces the stolen key, with a new epoch if it was the release key."
      >
        <code>holdfast keys propose keys.json --new-epoch --release-key server --fingerprint …</code>
      </Section>
      <Section
        danger
        title="Kill switch"
        about={
          rollout.data?.killed
            ? 'It is on: no device runs a hook of the team.'
            : 'Switches off all hooks of the team on all devices. It is on the page of the releases.'
        }
      >
        <Link to="/rollout">Open the kill switch</Link>
      </Section>
    </>
  )
}
