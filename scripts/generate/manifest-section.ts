// What stands in the managed folder of a team: the manifest, key by key.

import { MODES } from '../../packages/hooks/src/protocol/config.js'
import { code, json, list, table } from './markdown.js'

const example = {
  team: '7',
  release: 12,
  records: 'managed',
  queue: '../../queue',
  hooks: [
    {
      id: 1,
      revision: 4,
      hook_step: 'beforeShellExecution',
      script_name: 'no-force-push.sh',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      operating_systems: ['Macintosh', 'Linux'],
      matcher: 'git push',
      mode: 'observe',
    },
  ],
}

const HEAD: readonly (readonly [key: string, meaning: string])[] = [
  ['hooks', 'The hooks, in order.'],
  ['team', 'The id of the team, as in the name of its folder.'],
  ['release', 'The number of the release. Records of the hooks carry it.'],
  [
    'records',
    'Which runs the team wants to hear of: `"managed"` for those of enterprise hooks and its own, `"all"` for all. `"managed"` when absent.',
  ],
  [
    'queue',
    'The folder in which records wait to be sent, relative to the manifest and inside the folder of the team. Absent: the team wants none.',
  ],
]

const HOOK: readonly (readonly [key: string, meaning: string])[] = [
  ['hook_step', 'The event.'],
  ['script_name', 'The plain name of a file beside the manifest.'],
  ['sha256', 'Of that file. Other bytes are left out, and that is said.'],
  ['operating_systems', '`Windows`, `Macintosh`, `Linux`; absent or empty for all.'],
  ['is_active', 'false switches it off.'],
  [
    'mode',
    `${MODES.map(mode => code(JSON.stringify(mode))).join(' or ')}; ${code(JSON.stringify(MODES[0]))} when absent.`,
  ],
  ['id, revision', 'The numbers by which the server knows it. Records of its runs carry them.'],
  ['type, prompt, model, matcher, timeout, fail_closed, loop_limit', 'As in a hooks.json.'],
]

const rows = (keys: typeof HEAD) =>
  keys.map(([key, meaning]) => [key.split(', ').map(code).join(', '), meaning])

export const manifestSection = (): string[] => [
  '## The manifest of a team',
  'The folder `hooks` of a team holds a `manifest.json` and the scripts that it names. The folder may be a link to one release among others: it is followed once whenever the hooks are read, so that no hook ever starts a script of another release, and a link that is replaced is noticed at once.',
  json(example),
  table(['key', 'meaning'], rows(HEAD)),
  'Each hook:',
  table(['key', 'meaning'], rows(HOOK)),
  'A hook whose `mode` is `"observe"` runs and is recorded like any other, and has no effect: what it says does not reach the verdict, the person, the model or the next event, its failures stop nothing, and in no version does it take the turn of another hook. The agent waits for it as for any other. Its records say `"mode": "observe"`, and in `would` what it would have counted as: `deny`, `ask`, `allow` or `abstain`. So a team can see what a hook would do to everyone before it does.',
  list([
    'Records wait in the `active.jsonl` of the queue, masked as in the log, until the device has sent them. This does not depend on whether a log is kept.',
    'A queue that is full or cannot be written changes no verdict; `hooks.logProblem()` and `holdfast fire` say so.',
  ]),
]
