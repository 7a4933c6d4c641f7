import type { Tab } from '../../../parts/tabs.js'

export const AUDIT_TABS: readonly Tab[] = [
  { to: '/audit', label: 'Records' },
  { to: '/audit/admin', label: 'Admin actions' },
  { to: '/audit/refused', label: 'Refused calls' },
]
