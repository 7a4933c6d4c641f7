// Objects of the panel for the palette: hooks, sessions and runs.

import { createClient, type Transport } from '@connectrpc/connect'
import { PanelService } from '../gen/holdfast/panel/v1/panel_pb.js'
import type { Find } from '../shell/commands.js'
import { toAddress } from './pages/hooks/address.js'

const FEW = 5

export function openFind(transport: Transport): Find {
  const panel = createClient(PanelService, transport)
  return async (text, signal) => {
    const wanted = text.toLowerCase()
    const [{ sources }, { sessions }] = await Promise.all([
      panel.listSources({}, { signal }),
      panel.listSessions({ text, pageSize: FEW }, { signal }),
    ])
    const hooks = sources
      .flatMap(({ hooks }) => hooks)
      .filter(({ name, command, event }) =>
        [name, command, event].some(each => each.toLowerCase().includes(wanted)),
      )
    return [
      ...hooks.slice(0, FEW).map(({ id, name, source }) => ({
        label: name,
        kind: `${source} hook`,
        href: `/hooks/${toAddress(id)}`,
      })),
      ...sessions.map(({ id, title }) => ({
        label: title || id,
        kind: 'session',
        href: `/sessions/${encodeURIComponent(id)}`,
      })),
      { label: `Runs that contain “${text}”`, kind: 'search', href: `/runs?q=${encodeURIComponent(text)}` },
    ]
  }
}
