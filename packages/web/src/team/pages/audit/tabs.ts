export const AUDIT_TABS = [
  { to: '/audit', label: 'Records' },
  { to: '/audit/admin', label: 'Admin actions' },
  { to: '/audit/refused', label: 'Refused calls' },
]
