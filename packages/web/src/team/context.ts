// What every page of the dashboard may ask for.

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
  if (!team) throw new Error('A page of the dashboard stands outside of it.')
  return team
}

/** Undefined when the person may; else the sentence for the button that stays and does nothing. */
export function useMay(method: string): string | undefined {
  const { me } = useTeam()
  if (me.allowed.includes(method)) return undefined
  return `This needs the role ${me.needs[method] ?? 'owner'}; yours is ${me.member?.role ?? 'none'}.`
}
