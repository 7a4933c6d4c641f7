// Where objects of the team are, for links and for navigation.

export const toHook = (id: number | string) => ({ to: '/hooks/$id', params: { id: String(id) } }) as const

export const toRevision = (id: number | string, number: number | string) =>
  ({ to: '/hooks/$id/rev/$number', params: { id: String(id), number: String(number) } }) as const

export const toRelease = (number: number) =>
  ({ to: '/rollout/$number', params: { number: String(number) } }) as const

export const toDevice = (device: string) => ({ to: '/devices', search: { device } }) as const
