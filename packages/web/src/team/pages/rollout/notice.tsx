// Shown above every page while the kill switch is on.

import { useQuery } from '@connectrpc/connect-query'
import { RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../../parts/notice.js'
import { line } from '../../../words/plain.js'

export function KillNotice() {
  const { data } = useQuery(RolloutService.method.getRolloutSettings, {})
  if (!data?.killed) return null
  return (
    <Notice tone="deny" isBanner role="alert">
      <span>
        <strong>The kill switch is on.</strong> No device has a hook of this team. Reason:{' '}
        {line(data.killedBecause)}
      </span>
      <Link to="/rollout">Open Rollout</Link>
    </Notice>
  )
}
