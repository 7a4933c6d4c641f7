// The context of all pages of the dashboard.

import type { WhoAmIResponse } from '@holdfast/team/messages'
import { createContext, useContext } from 'react'
import type { Live } from '../shell/live.js'

export interface TeamPage {
  readonly me: WhoAmIResponse
  readonly live: Live
}

export const TeamContext = createContext<TeamPage | null>(null)

export function useTeam(): TeamPage {
  const team = useContext(TeamContext)
  if (!team) throw new Error('useTeam needs a TeamContext above it.')
  return team
}

/** Undefined if the user may call it; otherwise the reason, for the disabled button. */
export function useMay(method: string): string | undefined {
  const { me } = useTeam()
  if (me.allowed.includes(method)) return undefined
  return `This needs the role ${me.needs[method] ?? 'owner'}; yours is ${me.member?.role ?? 'none'}.`
}
