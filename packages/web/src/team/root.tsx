import { Activity, Gauge, Layers, MonitorSmartphone, Rocket, Settings2, Users } from 'lucide-react'
import { useFind } from '../shell/find.js'
import { Frame, type Place } from '../shell/frame.js'
import { useTeam } from './context.js'
import { KillNotice } from './pages/rollout/notice.js'
import { SessionOver } from './session-over.js'

const PLACES: readonly Place[] = [
  { to: '/overview', label: 'Overview', icon: Gauge, key: 'o' },
  { to: '/hooks', label: 'Hooks', icon: Layers, key: 'h' },
  { to: '/rollout', label: 'Rollout', icon: Rocket, key: 'r' },
  { to: '/devices', label: 'Devices', icon: MonitorSmartphone, key: 'd' },
  { to: '/members', label: 'Members', icon: Users, key: 'm' },
  { to: '/audit', label: 'Audit', icon: Activity, key: 'a' },
  { to: '/settings', label: 'Settings', icon: Settings2, key: 's' },
]

export function Root() {
  const { me, live } = useTeam()
  const find = useFind(() => import('./find.js'))
  return (
    <Frame
      name={me.teamName}
      places={PLACES}
      live={live}
      notice={
        <>
          <SessionOver />
          <KillNotice />
        </>
      }
      find={find}
      {...(me.member ? { account: me.member } : {})}
    />
  )
}
