// The context of all pages of the panel.

import { createContext, useContext } from 'react'
import type { GetWorkspaceResponse } from '../gen/holdfast/panel/v1/panel_pb.js'
import type { News } from './news.js'

export interface Panel {
  readonly workspace: GetWorkspaceResponse
  readonly news: News
}

export const PanelContext = createContext<Panel | null>(null)

export function usePanel(): Panel {
  const panel = useContext(PanelContext)
  if (!panel) throw new Error('usePanel needs a PanelContext above it.')
  return panel
}
