// Variables that the engine sets for every hook. No hook can change them through session variables.

export const FIXED_VARIABLES = [
  'CURSOR_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
  'CURSOR_VERSION',
  'CURSOR_USER_EMAIL',
  'CURSOR_TRANSCRIPT_PATH',
  'CURSOR_CODE_REMOTE',
  'CURSOR_PLUGIN_ROOT',
  'CLAUDE_PLUGIN_ROOT',
] as const

export type FixedVariable = (typeof FIXED_VARIABLES)[number]

/** Windows compares names without case, so this list does, too. */
const fixed: ReadonlySet<string> = new Set(FIXED_VARIABLES)

export const mayBeSet = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== '__proto__' && !fixed.has(name.toUpperCase())
