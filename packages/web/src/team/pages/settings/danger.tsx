import { useQuery } from '@connectrpc/connect-query'
import { RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { Section } from './section.js'

/** What touches every device at once, or cannot be taken back. */
export function Danger() {
  const rollout = useQuery(RolloutService.method.getRolloutSettings, {})
  return (
    <>
      <Section
        danger
        title="A key was stolen"
        about="Root keys are never on the server, so no page and no token can change the keys of the team. Whoever has a root key replaces the stolen key, with a new epoch if it was the release key."
      >
        <code>holdfast keys propose keys.json --new-epoch --release-key server --fingerprint …</code>
      </Section>
      <Section
        danger
        title="Kill switch"
        about={
          rollout.data?.killed
            ? 'It is on: no device runs a hook of the team.'
            : 'Stops all hooks of the team on every device. It is on the page of the releases.'
        }
      >
        <Link to={'/rollout' as never}>To the kill switch</Link>
      </Section>
    </>
  )
}
