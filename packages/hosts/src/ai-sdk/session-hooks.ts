// Hooks for an application that calls generateText or streamText itself: its tools and its model, in a session that it
// began. The session's end and the event `stop` are the application's to report.

import type { Session } from '@holdfast/hooks'
import type { LanguageModelMiddleware, ToolSet } from 'ai'
import { listening } from './agent/hooked-model.js'
import { hookTools as hookToolsOf } from './agent/hooked-tool.js'
import { openScene, type Scene, type SceneOptions } from './agent/scene.js'

export interface HookToolsOptions extends Omit<SceneOptions, 'hooks'> {}

/** The text of the model before a tool call is a field of the call's event, so both share it. */
const scenes = new WeakMap<Session, { said: string }>()

/** The same tools; each call passes the hooks of the session. A denied call is an error that the model reads. */
export function hookTools<T extends ToolSet>(tools: T, session: Session, options: HookToolsOptions = {}): T {
  const leavesApproval = options.approve === undefined
  const scene = openScene(options, { session, task: undefined, leavesApproval })
  return hookToolsOf(tools, shared(scene)) as T
}

/**
 * For `wrapLanguageModel`. A message of the user passes `beforeSubmitPrompt`, and generateText throws HookBlockedError
 * when hooks stop it; the context of `sessionStart` joins the instructions; text and reasoning of the model are reported.
 */
export function hooksMiddleware(session: Session): LanguageModelMiddleware {
  const scene = shared(openScene({}, { session, task: undefined, leavesApproval: true }))
  // Another attempt at the same request is no new message.
  const sent = new WeakSet<object>()
  return {
    ...listening(scene),
    async transformParams({ params }) {
      const { prompt, abortSignal } = params
      const last = prompt.at(-1)
      if (last?.role === 'user' && !sent.has(prompt)) {
        const text = last.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
        await session.guard(
          'beforeSubmitPrompt',
          { prompt: text },
          abortSignal ? { signal: abortSignal } : {},
        )
        sent.add(prompt)
      }
      const context = session.started?.additionalContext
      if (!context) return params
      const at = prompt.findLastIndex(({ role }) => role === 'system') + 1
      return { ...params, prompt: prompt.toSpliced(at, 0, { role: 'system', content: context }) }
    },
  }
}

function shared(scene: Scene): Scene {
  const { session } = scene
  const words = scenes.get(session) ?? { said: '' }
  scenes.set(session, words)
  return Object.defineProperty(scene, 'said', {
    get: () => words.said,
    set: (said: string) => {
      words.said = said
    },
  })
}
