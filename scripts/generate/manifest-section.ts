// The section about the managed folder of a team: the manifest, key by key.

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
  ['release', 'The number of the release. Records of the hooks contain it.'],
  [
    'records',
    'The runs that devices report to the team: `"managed"` for those of enterprise hooks and its own, `"all"` for all. `"managed"` when absent.',
  ],
  [
    'queue',
    'The folder for records that wait to be sent, relative to the manifest and inside the folder of the team. If absent, no records are sent.',
  ],
]

const HOOK: readonly (readonly [key: string, meaning: string])[] = [
  ['hook_step', 'The event.'],
  ['script_name', 'The name of a file beside the manifest, without a path.'],
  ['sha256', 'The SHA-256 of that file. A hook whose file has another hash is left out, with an issue.'],
  ['operating_systems', '`Windows`, `Macintosh`, `Linux`; absent or empty for all.'],
  ['is_active', 'false switches it off.'],
  [
    'mode',
    `${MODES.map(mode => code(JSON.stringify(mode))).join(' or ')}; ${code(JSON.stringify(MODES[0]))} when absent.`,
  ],
  ['id, revision', 'Its numbers on the server. Records of its runs contain them.'],
  ['type, prompt, model, matcher, timeout, fail_closed, loop_limit', 'As in a hooks.json.'],
]

const rows = (keys: typeof HEAD) =>
  keys.map(([key, meaning]) => [key.split(', ').map(code).join(', '), meaning])

export const manifestSection = (): string[] => [
  '## The manifest of a team',
  'The folder `hooks` of a team contains a `manifest.json` and the scripts that it names. The folder may be a link to one of several releases. The engine resolves the link once each time it loads the hooks, so no hook starts a script of another release. It notices a replaced link immediately.',
  json(example),
  table(['key', 'meaning'], rows(HEAD)),
  'Each hook:',
  table(['key', 'meaning'], rows(HOOK)),
  'A hook in audit mode (`"mode": "observe"`) runs and is recorded like any other, and has no effect. Its response does not reach the verdict, the user, the model or the next event, and its failures stop nothing. Versions that run one hook after another run the next one regardless of it. The agent waits for it as for any other. Its records contain `"mode": "observe"` and, in `would`, its decision: `deny`, `ask`, `allow` or `abstain`. So a team can see the effect of a hook before enforcing it.',
  list([
    'Records wait in the `active.jsonl` of the queue, masked as in the log, until the device has sent them. This does not depend on whether a log is kept.',
    'A queue that is full or cannot be written changes no verdict; `hooks.logProblem()` and `holdfast fire` report it.',
  ]),
]
