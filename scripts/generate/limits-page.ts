// The page of limits. Each number is read from the constant in the source that enforces it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../../packages/hooks/src/team/envelope.js'
import { page, table } from './markdown.js'

type Unit = 'bytes' | 'count' | 'seconds' | 'ms' | 'days' | 'MiB'

/** [what, file, constant, unit, beyond it] */
type Row = readonly [what: string, file: string, constant: string, unit: Unit, beyond: string]

const HOOKS: readonly Row[] = [
  ['size of a hooks.json', 'hooks/src/config/entry.ts', 'LARGEST_MIB', 'MiB', 'The file is not loaded.'],
  ['tokens in a hooks.json', 'hooks/src/config/json.ts', 'MOST_TOKENS', 'count', 'The file is not loaded.'],
  ['hooks of a source', 'hooks/src/discover/layer.ts', 'MOST_HOOKS', 'count', 'The file is not loaded.'],
  [
    'reported issues of a source',
    'hooks/src/config/report.ts',
    'MOST',
    'count',
    'Further issues are only counted.',
  ],
  ['length of a matcher', 'hooks/src/config/matcher.ts', 'LARGEST', 'count', 'The entry is rejected.'],
  [
    'files that trust covers',
    'hooks/src/discover/fingerprint.ts',
    'MOST_FILES',
    'count',
    'The source cannot be trusted.',
  ],
  [
    'bytes that trust covers',
    'hooks/src/discover/fingerprint.ts',
    'MOST_BYTES',
    'bytes',
    'The source cannot be trusted.',
  ],
  [
    'paths that trust covers',
    'hooks/src/discover/fingerprint.ts',
    'MOST_PATHS',
    'count',
    'The source cannot be trusted.',
  ],
]

const RUNS: readonly Row[] = [
  [
    'depth of a payload or response',
    'hooks/src/protocol/json.ts',
    'MAX_DEPTH',
    'count',
    'The call fails, or the response is invalid.',
  ],
  [
    'digits of an integer in a payload',
    'hooks/src/protocol/json.ts',
    'MAX_DIGITS',
    'count',
    'The call fails.',
  ],
  [
    'stdout of a hook',
    'hooks/src/run/output.ts',
    'STDOUT_LIMIT',
    'bytes',
    'The response is invalid; a deny in it holds.',
  ],
  ['stderr of a hook', 'hooks/src/run/spawn.ts', 'STDERR_LIMIT', 'bytes', 'The middle is dropped.'],
  ['rounds of rewrites', 'hooks/src/decide/rounds.ts', 'MOST_ROUNDS', 'count', 'The action is denied.'],
  [
    'payload of a bridge',
    'cli/src/commands/bridge.ts',
    'LARGEST',
    'bytes',
    'Prompts and tool calls are denied.',
  ],
  [
    'time of a bridge',
    'hooks/src/bridges/settings.ts',
    'ENTRY_LIMIT_SECONDS',
    'seconds',
    'The bridge denies before the agent stops waiting.',
  ],
  [
    'age of the state of a conversation',
    'hooks/src/bridges/conversation-state.ts',
    'MAX_AGE_DAYS',
    'days',
    'The state is deleted.',
  ],
  ['payload of `--payload`', 'cli/src/payload.ts', 'LARGEST_MIB', 'MiB', 'The call fails.'],
]

const RECORDS: readonly Row[] = [
  ['size of a log file', 'hooks/src/record/jsonl.ts', 'MAX_BYTES', 'bytes', 'The log rotates.'],
  ['string in a record', 'hooks/src/record/mask-text.ts', 'MAX_STRING', 'count', 'The string is cut.'],
  [
    'text of a record',
    'hooks/src/record/redact.ts',
    'MAX_CHARACTERS',
    'count',
    'Further strings are left out.',
  ],
  [
    'queue file for a team',
    'hooks/src/record/queue.ts',
    'LARGEST_BYTES',
    'bytes',
    'Records are dropped and counted.',
  ],
  ['records in memory', 'hooks/src/record/record.ts', 'MOST_RECENT', 'count', 'The oldest are dropped.'],
]

export function limitPages(root: string): Map<string, string> {
  return new Map([['docs/reference/limits.md', limitsPage(root)]])
}

const limitsPage = (root: string): string =>
  page(
    '# Limits',
    'A file, a payload or a hook of any size must not block an agent or fill a disk. These limits are constants; none of them can be configured. Time limits of hooks are in [hooks.json](hooks-json.md).',
    '## Configuration',
    rows(root, HOOKS),
    '## Events and runs',
    rows(root, RUNS),
    '## Records',
    rows(root, RECORDS),
    '## Releases of a team',
    'A device rejects a release that exceeds one of these.',
    table(
      ['limit', 'value'],
      [
        ['hooks', String(LIMITS.hooks)],
        ['size of a script', bytes(LIMITS.script)],
        ['size of all scripts', bytes(LIMITS.scripts)],
        ['length of a prompt', group(LIMITS.prompt)],
        ['length of a matcher', group(LIMITS.matcher)],
        ['length of a name', group(LIMITS.name)],
        ['signatures', String(LIMITS.signatures)],
        ['versions of root metadata', group(LIMITS.trustVersions)],
      ],
    ),
  )

const rows = (root: string, all: readonly Row[]): string =>
  table(
    ['limit', 'value', 'beyond it'],
    all.map(([what, file, constant, unit, beyond]) => [
      what,
      withUnit(readConstant(join(root, 'packages', file), constant), unit),
      beyond,
    ]),
  )

/** The value of a constant such as `const MOST = 5 * 1024`. */
function readConstant(file: string, constant: string): number {
  const text = readFileSync(file, 'utf8')
  const found = new RegExp(`^(?:export )?const ${constant} = ([\\d_ *]+)$`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Error(`${file} has no number ${constant}.`)
  return found
    .replaceAll('_', '')
    .split('*')
    .reduce((product, factor) => product * Number(factor), 1)
}

function withUnit(value: number, unit: Unit): string {
  if (unit === 'bytes') return bytes(value)
  return unit === 'count' ? group(value) : `${group(value)} ${unit}`
}

const group = (value: number): string => value.toLocaleString('en-GB')
const bytes = (value: number): string =>
  value % (1024 * 1024) === 0 ? `${value / 1024 / 1024} MiB` : `${value / 1024} KiB`
