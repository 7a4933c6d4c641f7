import type { Tab } from '../../../parts/tabs.js'

export const DEVICE_TABS: readonly Tab[] = [
  { to: '/devices', label: 'Devices' },
  { to: '/devices/keys', label: 'Enrolment keys' },
]
