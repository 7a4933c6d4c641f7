// The methods of the panel, from the modules beside this file.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { PanelService } from '@holdfast/web/panel'
import type { Workspace } from '../workspace.js'
import { getCompat } from './compat.js'
import { checkFile, getFile, saveFile } from './files.js'
import { getEvent } from './fire/event.js'
import { explain } from './fire/explain.js'
import { fire } from './fire/fire.js'
import { onceEach } from './fire/once.js'
import { runsOf } from './hooks/history.js'
import { scriptsOf } from './hooks/scripts.js'
import { listSources, shapesOf } from './hooks/sources.js'
import { trust } from './hooks/trust.js'
import { watch } from './live/watch.js'
import { hooksOf, openPanel } from './panel.js'
import type { QuestionSource } from './questions.js'
import { notThere } from './refusals.js'
import { countRuns } from './runs/count.js'
import type { RunsOf } from './runs/filter.js'
import { listRuns } from './runs/page.js'
import { getRun, getRunText } from './runs/run.js'
import { listSessions } from './sessions/list.js'
import { getSession } from './sessions/session.js'
import { workspaceTables } from './tables.js'
import { getTestCase } from './test-case.js'

export interface Service {
  readonly methods: ServiceImpl<typeof PanelService>
  /** Files of hooks that cannot be read. */
  broken(): readonly string[]
  close(): void
}

export interface PanelServices {
  readonly stopping: AbortSignal
  /** Whether the caller is still connected. */
  isInside(headers: Headers): boolean
}

export async function openService(
  workspace: Workspace,
  questions: QuestionSource,
  door: PanelServices,
): Promise<Service> {
  const panel = await openPanel(workspace, questions)
  const { book } = panel
  const once = onceEach()

  const runsOfHook: RunsOf = id => {
    const all = hooksOf(panel.engine.catalog())
    const hook = all.find(each => each.id === id)
    return hook ? runsOf(hook, all) : () => false
  }
  return {
    methods: {
      getWorkspace: () => workspaceTables(panel),
      getEvent: ({ name }) => getEvent(name),
      listSources: () => listSources(panel),
      async getHook({ id }) {
        const catalog = await panel.look()
        const hook = hooksOf(catalog).find(each => each.id === id)
        if (!hook) throw notThere('This hook is no longer configured.')
        return { hook: shapesOf(catalog, panel).get(hook)!, scripts: scriptsOf(hook, workspace.screen) }
      },
      trust: ({ hooks }) => trust(panel, hooks),
      getFile: request => getFile(panel, request.sourceId),
      checkFile: request => checkFile(panel, request.sourceId, request.text),
      saveFile: request => saveFile(panel, request),
      listRuns: request => listRuns(book, request, runsOfHook),
      countRuns: request => countRuns(book, request, runsOfHook),
      getRun: ({ id }) => getRun(book, id),
      getRunText: ({ id, text }) => getRunText(book, id, text),
      getTestCase: ({ runId }) => getTestCase(panel, runId),
      listSessions: request => listSessions(book, request, Date.now()),
      getSession: ({ id }) => getSession(book, id, Date.now()),
      explain: request => explain(panel, request),
      // When a page closes or cancels, or the panel ends, its hooks end.
      fire: (request, { signal }: HandlerContext) =>
        once(request.key, signal, stop => fire(panel, request, AbortSignal.any([stop, door.stopping]))),
      getCompat: () => getCompat(panel),
      listQuestions: () => panel.questions.list(),
      answerQuestion: ({ id, isAllowed }) => panel.questions.answer(id, isAllowed),
      watch: (request, context: HandlerContext) => watch(request, context, { panel, ...door }),
    },
    broken: () =>
      panel.engine
        .catalog()
        .layers.filter(({ state }) => state === 'failed')
        .map(({ source }) => source.file),
    close: () => panel.close(),
  }
}
