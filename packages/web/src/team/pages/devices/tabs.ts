export const DEVICE_TABS = [
  { to: '/devices', label: 'Devices' },
  { to: '/devices/keys', label: 'Enrolment keys' },
]
