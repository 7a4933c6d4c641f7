// A week of plausible runs for the devices of the demonstration team. A seed makes the random values reproducible.

const DAY = 86_400_000

const SHELL = [
  'ls -la',
  'npm test',
  'git status',
  'git diff --stat',
  'npm run build',
  'cat package.json',
  'rg TODO src',
  'node --version',
  'git log --oneline -5',
  'docker ps',
]
const PUSHES = ['git push --force origin main', 'git push -f', 'git push --force-with-lease origin main']
const OUT = ['npm publish', 'terraform apply -auto-approve', 'gh release create v2.1.0']
const READS = ['src/index.ts', 'README.md', 'src/server/routes.ts', 'package.json', 'docs/setup.md']
const SECRETS = ['.env', 'infra/prod.pem', '.ssh/id_rsa']
const INSTALLS = [
  'npm install left-pad',
  'pip install requests',
  'npm install --registry http://mirror.example lodash',
]

export function chanceOf(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, one: list => list[Math.floor(next() * list.length)] }
}

/** People work during the day, and less at the weekend. */
function busy(at) {
  const date = new Date(at)
  const hour = date.getHours()
  const isWeekend = date.getDay() % 6 === 0
  return (hour > 7 && hour < 19 ? 1 : 0.12) * (isWeekend ? 0.25 : 1)
}

export function weekOf(seed, now, count, release) {
  const chance = chanceOf(seed)
  const records = []
  while (records.length < count) {
    const at = now - chance.next() * 7 * DAY
    if (chance.next() > busy(at)) continue
    records.push(runOf(chance, Math.floor(at), records.length, release))
  }
  return records.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function runOf(chance, at, count, release) {
  const id = `${at.toString(36).padStart(9, '0')}-${(count % 36 ** 4).toString(36).padStart(4, '0')}-${Math.floor(chance.next() * 2 ** 40).toString(36)}`
  const shell = command => ({ event: 'beforeShellExecution', request: { command, cwd: '/repo' } })
  const read = file => ({ event: 'beforeReadFile', request: { file_path: `/repo/${file}` } })
  const dice = chance.next()
  const [hook, hookId, said, what] =
    dice < 0.05
      ? ['no-forced-pushes.sh', 1, 'deny', shell(chance.one(PUSHES))]
      : dice < 0.09
        ? ['ask-before-release.sh', 2, 'ask', shell(chance.one(OUT))]
        : dice < 0.13
          ? ['no-secrets.sh', 3, 'deny', read(chance.one(SECRETS))]
          : dice < 0.42
            ? ['no-secrets.sh', 3, null, read(chance.one(READS))]
            : dice < 0.55
              ? ['watch-installs.sh', 4, null, shell(chance.one(INSTALLS))]
              : ['ask-before-release.sh', 2, null, shell(chance.one(SHELL))]
  const failed = chance.next() < 0.006
  const observes = hookId === 4
  const stopped = said === 'deny'
  const would = observes && what.request.command?.includes('--registry')
  const answer = said ?? (would ? 'deny' : null)
  return {
    id,
    event_id: id,
    time: new Date(at).toISOString(),
    profile: 'holdfast',
    source: 'team',
    hook,
    file: null,
    line: null,
    ...(observes ? { mode: 'observe', would: would ? 'deny' : 'abstain' } : {}),
    hook_id: hookId,
    revision: 1,
    release,
    conversation_id: `talk-${Math.floor(chance.next() * 500)}`,
    generation_id: null,
    ...what,
    response: failed || !answer ? null : { permission: answer },
    outcome: failed ? 'failed' : answer ? 'answered' : 'silent',
    permission: failed ? null : answer,
    failure: failed ? 'run/exit-code' : null,
    message: failed ? 'It ended with exit code 127.' : null,
    exit_code: failed ? 127 : 0,
    signal: null,
    duration_ms: Math.round((3 + chance.next() ** 4 * 60 + (failed ? 90 : 0)) * 10) / 10,
    stderr: failed ? 'jq: command not found\n' : '',
    notes: [],
    failed_open: failed && !observes,
    verdict: { permission: failed || observes ? null : answer, continue: stopped && !failed ? false : null },
    redacted: [],
  }
}
