// A hook as form values. An empty field keeps the default.

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Hook, TeamHook, TeamHookSchema } from '@holdfast/team/messages'

export interface Form {
  readonly name: string
  readonly event: string
  readonly matcher: string
  readonly type: 'command' | 'prompt'
  readonly scriptName: string
  readonly script: string
  readonly prompt: string
  readonly model: string
  /** Seconds; empty means the default. */
  readonly timeout: string
  readonly failClosed: 'as the event' | 'open' | 'closed'
  /** Empty means the default. */
  readonly loopLimit: string
  readonly isEndless: boolean
  readonly mode: 'enforce' | 'observe'
  /** None means all. */
  readonly systems: readonly string[]
  readonly isActive: boolean
}

export const SYSTEMS = [
  { name: 'Linux', label: 'Linux' },
  { name: 'Macintosh', label: 'macOS' },
  { name: 'Windows', label: 'Windows' },
] as const

export const EMPTY: Form = {
  name: '',
  event: '',
  matcher: '',
  type: 'command',
  scriptName: '',
  script: '',
  prompt: '',
  model: '',
  timeout: '',
  failClosed: 'as the event',
  loopLimit: '',
  isEndless: false,
  mode: 'enforce',
  systems: [],
  isActive: true,
}

/** The draft, or what was published when there is none. */
export function formOf(hook: Hook): Form {
  const content = hook.draft ?? hook.published
  return content ? { ...formOfContent(content), name: hook.name } : { ...EMPTY, name: hook.name }
}

export const formOfContent = (content: TeamHook): Form => ({
  name: '',
  event: content.hookStep,
  matcher: content.matcher,
  type: content.type === 'prompt' ? 'prompt' : 'command',
  scriptName: content.scriptName,
  script: content.scriptContent,
  prompt: content.prompt,
  model: content.model,
  timeout: content.timeout === undefined ? '' : String(content.timeout),
  failClosed: content.failClosed === undefined ? 'as the event' : content.failClosed ? 'closed' : 'open',
  loopLimit: content.loopLimit ? String(content.loopLimit) : '',
  isEndless: content.loopLimit === 0,
  mode: content.mode === 'observe' ? 'observe' : 'enforce',
  systems: [...content.operatingSystems].sort(),
  isActive: content.isActive,
})

export function contentOf(form: Form): MessageInitShape<typeof TeamHookSchema> {
  const timeout = numberIn(form.timeout)
  const loopLimit = form.isEndless ? 0 : numberIn(form.loopLimit)
  const isCommand = form.type === 'command'
  return {
    hookStep: form.event,
    matcher: form.matcher,
    type: form.type,
    scriptName: isCommand ? form.scriptName : '',
    scriptContent: isCommand ? form.script : '',
    prompt: isCommand ? '' : form.prompt,
    model: isCommand ? '' : form.model,
    mode: form.mode,
    operatingSystems: [...form.systems],
    isActive: form.isActive,
    ...(timeout === undefined ? {} : { timeout }),
    ...(form.failClosed === 'as the event' ? {} : { failClosed: form.failClosed === 'closed' }),
    ...(loopLimit === undefined ? {} : { loopLimit }),
  }
}

/** Text that is not a number becomes -1, so that the server reports the field. */
function numberIn(text: string): number | undefined {
  if (text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : -1
}

export const isSame = (a: Form, b: Form): boolean => JSON.stringify(a) === JSON.stringify(b)

/** From field names of the server to those of the form. */
const FIELDS: Readonly<Record<string, keyof Form>> = {
  name: 'name',
  hook_step: 'event',
  matcher: 'matcher',
  type: 'type',
  script_name: 'scriptName',
  script_content: 'script',
  command: 'script',
  prompt: 'prompt',
  model: 'model',
  timeout: 'timeout',
  fail_closed: 'failClosed',
  failClosed: 'failClosed',
  loop_limit: 'loopLimit',
  mode: 'mode',
  operating_systems: 'systems',
}

/** Undefined where the form has no such field. */
export const fieldOf = (name: string): keyof Form | undefined => FIELDS[name.split(/[.[]/)[0]!]

/** The fields in the order of the form, with their labels. */
export const WORDS: readonly (readonly [field: keyof Form, label: string])[] = [
  ['name', 'Name'],
  ['event', 'Event'],
  ['matcher', 'Matcher'],
  ['type', 'Type'],
  ['scriptName', 'Script name'],
  ['prompt', 'Prompt'],
  ['model', 'Model'],
  ['timeout', 'Timeout'],
  ['failClosed', 'When it fails'],
  ['loopLimit', 'Loop limit'],
  ['isEndless', 'Loop without limit'],
  ['mode', 'Mode'],
  ['systems', 'Systems'],
  ['isActive', 'Active'],
]

export function describeField(field: keyof Form, form: Form): string {
  const value = form[field]
  if (field === 'systems') {
    const names = SYSTEMS.filter(({ name }) => form.systems.includes(name)).map(({ label }) => label)
    return names.length > 0 ? names.join(', ') : 'all'
  }
  if (field === 'timeout') return form.timeout === '' ? 'default' : `${form.timeout} s`
  if (field === 'failClosed')
    return { 'as the event': 'default of the event', open: 'fails open', closed: 'fails closed' }[
      form.failClosed
    ]
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}
