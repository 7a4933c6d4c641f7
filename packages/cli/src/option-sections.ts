// Options of several commands.

import { PROFILE_NAMES } from '@holdfast/hooks/protocol'
import { flag, list, type OptionTable, value } from './arguments.js'
import type { OptionSection } from './command.js'

const color = flag('use colours or not (default: only on a terminal)', { isNegatable: true })

export const OUTPUT: OptionSection = {
  title: 'General',
  options: { json: flag('print JSON'), color },
}

export const home = value('DIR', 'home folder', { defaultText: 'yours' })

export const root = value('DIR', 'project folder', {
  defaultText: 'the nearest folder with .cursor or .git, from here upwards',
})

export const roots = { ...root, summary: 'project folder', isRepeatable: true } as const

/** The folder above the files of the machine. */
export const MANAGED_ROOT = value('DIR', 'for tests', { isHidden: true })

const WORKSPACE_OPTIONS = {
  root: roots,
  home: value('DIR', 'home folder, whose .holdfast folder holds the trust file and the log', {
    defaultText: 'yours',
  }),
  enterprise: value('DIR', 'folder of the enterprise hooks.json'),
  claude: flag('also read the settings of Claude Code'),
  plugin: list('DIR', 'plugin folder'),
  required: list('SOURCE', 'deny permission events unless this source is intact'),
  profile: value('NAME', `behave like this version: ${PROFILE_NAMES.join(', ')}`, { default: 'holdfast' }),
  'trust-all': flag('run project hooks even if they are not trusted'),
} as const satisfies OptionTable

/** The hooks that are used. */
export const WORKSPACE: OptionSection = { title: 'Where hooks are found', options: WORKSPACE_OPTIONS }

export const without = (section: OptionSection, ...names: readonly string[]): OptionSection => ({
  ...section,
  options: Object.fromEntries(Object.entries(section.options).filter(([name]) => !names.includes(name))),
})
