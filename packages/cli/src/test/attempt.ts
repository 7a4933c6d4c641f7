// One case in one version: its steps through the real engine, in folders of its own.

import { join, relative } from 'node:path'
import { type Hooks, openHooks } from '@holdfast/hooks'
import type { HookDefinition, Issue, ProfileName } from '@holdfast/hooks/protocol'
import { type Compared, staleBundles } from '../build/stale.js'
import { issuesOf } from '../check/lint.js'
import type { TestCase } from './cases.js'
import type { FireContext, StepResult } from './fire.js'
import type { CaseFolders } from './stage.js'
import { isTaken, take } from './take.js'

export interface Attempt {
  readonly profile: ProfileName
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason: string | null
  /** Up to the first that failed. */
  readonly steps: readonly StepResult[]
  readonly durationMs: number
  /** Errors of the hooks.json. */
  readonly issues: readonly Issue[]
  /** Replaces paths of the temporary folders with the real ones. */
  tidy(text: string): string
}

export async function attempt(
  one: TestCase,
  profile: ProfileName,
  stage: CaseFolders,
  workspace: string,
  signal: AbortSignal,
  compared: Compared,
): Promise<Attempt> {
  const began = performance.now()
  const none = { profile, reason: null, steps: [], durationMs: 0, issues: [], tidy: tidied(stage, workspace) }
  if (!one.steps.some(step => 'event' in step && isTaken(step, profile))) {
    const events = one.steps.flatMap(step => ('event' in step ? [step.event] : []))
    return { ...none, outcome: 'skipped', reason: `does not have ${[...new Set(events)].join(', ')}` }
  }
  const model: FireContext['model'] = { usual: one.setting.model, now: undefined }
  const hooks = await open(stage, profile, model)
  try {
    const issues = issuesOf(hooks).filter(({ severity }) => severity === 'error')
    const broken = hooks.catalog().layers.some(({ state }) => state === 'failed')
    const dropped = issues.filter(issue => isDropped(issue, one))
    const missing = one.about.find(part => !hooksOf(hooks).some(isAbout([part])))
    const about = chooser(one)(hooksOf(hooks)).map(hook => inWorkspace(hook, stage, workspace))
    const [stale] = await staleBundles(about, compared)
    const steps =
      broken || dropped.length > 0
        ? [unreadable(one, broken ? issues : dropped)]
        : missing !== undefined
          ? [wrong(one, 'about', `a hook with ${JSON.stringify(missing)} in its command`, 'there is none')]
          : stale
            ? [wrong(one, 'bundle', 'what its source gives', `${stale.message} ${stale.hint}`)]
            : await takeAll(one, { hooks, stage, profile, signal, model, choose: chooser(one) })
    const outcome = steps.some(({ mismatches }) => mismatches.length > 0) ? 'failed' : 'passed'
    return { ...none, outcome, steps, durationMs: performance.now() - began, issues }
  } finally {
    hooks.close()
  }
}

/** If the folders of the case could not be created. */
export const notBegun = (one: TestCase, profile: ProfileName, why: string): Attempt => ({
  profile,
  outcome: 'failed',
  reason: null,
  steps: [wrong(one, 'workspace', 'can be created', why)],
  durationMs: 0,
  issues: [],
  tidy: text => text,
})

const open = (stage: CaseFolders, profile: ProfileName, model: FireContext['model']): Promise<Hooks> =>
  openHooks({
    workspaceRoots: [stage.root],
    home: stage.home,
    enterpriseDir: join(stage.base, 'enterprise'),
    profile,
    env: stage.env,
    trustAll: true,
    watch: false,
    log: { file: null },
    rehearsal: true,
    evaluatePrompt: async () => {
      if (model.now) return model.now
      throw new Error('The case has no response of the model; add "model says: { ok: true }"')
    },
  })

const hooksOf = (hooks: Hooks) => hooks.catalog().layers.flatMap(layer => layer.hooks)

const isAbout =
  (about: readonly string[]) =>
  ({ name }: HookDefinition): boolean =>
    about.some(part => name.includes(part))

/** Other hooks may be configured beside the tested ones; their responses do not matter here. */
const chooser =
  ({ about }: TestCase): FireContext['choose'] =>
  hooks =>
    about.length === 0 ? hooks : hooks.filter(isAbout(about))

async function takeAll(one: TestCase, around: FireContext): Promise<StepResult[]> {
  const results: StepResult[] = []
  for (const step of one.steps) {
    const result = await take(step, around)
    results.push(result)
    if (result.mismatches.length > 0) break
  }
  return results
}

const DROPPED: readonly Issue['code'][] = ['config/bad-entry', 'config/bad-field', 'config/bad-event']

/** An entry of an event of this case that is not loaded. */
const isDropped = ({ code, path }: Issue, { steps }: TestCase): boolean =>
  DROPPED.includes(code) &&
  steps.some(step => 'event' in step && /^hooks\.(\w+)/.exec(path)?.[1] === step.event)

/** The copy for a case lacks a file that a source imports from outside of it. */
const inWorkspace = (
  hook: HookDefinition,
  { root, home }: CaseFolders,
  workspace: string,
): HookDefinition => ({
  ...hook,
  scripts: hook.scripts.map(script => {
    const inside = [root, home].map(base => relative(base, script.path)).find(path => !path.startsWith('..'))
    return inside === undefined ? script : { ...script, path: join(workspace, inside) }
  }),
})

/** Missing hooks deny nothing, so a case that expects no deny would pass. */
function unreadable(one: TestCase, [first]: readonly Issue[]): StepResult {
  const got = first ? `line ${first.line}: ${first.message}` : 'it could not be read'
  return wrong(one, 'hooks.json', 'can be read', got)
}

const wrong = ({ line }: TestCase, what: string, expected: string, got: string): StepResult => ({
  line,
  what,
  seen: null,
  mismatches: [{ what, expected, got }],
})

const tidied =
  (stage: CaseFolders, workspace: string) =>
  (text: string): string =>
    text
      .replaceAll(stage.root, () => workspace)
      .replaceAll(stage.home, () => '~')
      .replaceAll(stage.base, () => '<case>')
