// What the panel can be asked, put together from the rooms beside this file.

import { basename } from 'node:path'
import type { ServiceImpl } from '@connectrpc/connect'
import { readRecords } from '@holdfast/hooks'
import type { PanelService } from '@holdfast/web/panel'
import type { Workspace } from '../workspace.js'

export interface Service {
  readonly methods: Partial<ServiceImpl<typeof PanelService>>
  close(): void
}

export async function openService(workspace: Workspace, stopping: AbortSignal): Promise<Service> {
  return {
    methods: {
      getWorkspace: () => ({
        name: basename(workspace.roots[0] ?? workspace.cwd),
        roots: [...workspace.roots],
        profile: workspace.profile,
      }),
      listRuns: () => ({
        runs: readRecords(workspace.logFile, { limit: 200 })
          .records.toReversed()
          .map(record => ({
            id: record.id,
            at: record.time,
            event: record.event,
            hook: record.hook,
            source: record.source,
            verdict: record.permission ?? (record.failed_open ? 'failed_open' : 'none'),
            subject: String(record.request.command ?? record.request.file_path ?? ''),
            durationMs: record.duration_ms,
          })),
      }),
      async *watch() {
        while (!stopping.aborted) {
          yield {}
          await new Promise(resolve => setTimeout(resolve, 5000))
        }
      },
    },
    close() {},
  }
}
