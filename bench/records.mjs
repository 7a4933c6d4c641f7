// Records like those of a fleet: several devices, hooks and verdicts, about one kilobyte each.

const COMMANDS = [
  'git status',
  'git push origin main',
  'npm test -- --run packages/server',
  'rm -rf build/output',
  'docker compose up -d database',
  'kubectl apply -f deploy/service.yaml',
  'python3 scripts/report.py --month 2026-05',
  'curl -fsSL https://example.com/install.sh',
]
const EVENTS = ['beforeShellExecution', 'beforeReadFile', 'afterFileEdit', 'beforeSubmitPrompt', 'stop']

let sequence = 0

export function recordOf(at, device) {
  const number = sequence++
  const id = `${at.toString(36).padStart(9, '0')}-${(number % 36 ** 4).toString(36).padStart(4, '0')}-${(number * 7919).toString(36)}${Math.random().toString(36).slice(2, 12)}`
  const permission = number % 40 === 0 ? 'deny' : number % 97 === 0 ? 'ask' : 'allow'
  const command = `${COMMANDS[number % COMMANDS.length]} # ${number % 5000}`
  const event = EVENTS[number % EVENTS.length]
  return {
    id,
    event_id: id,
    time: new Date(at).toISOString(),
    event,
    profile: 'latest',
    source: 'team',
    hook: `./hooks/guard-${number % 60}.sh`,
    file: '/home/someone/.cursor/managed/team_0123456789abcdef/hooks/manifest.json',
    line: 12,
    conversation_id: `conversation-${device}-${number >> 6}`,
    generation_id: `generation-${number >> 3}`,
    request: {
      command,
      cwd: '/home/someone/projects/service',
      hook_event_name: event,
      workspace_roots: ['/home/someone/projects/service'],
      user_email: 'someone@example.com',
      cursor_version: '2.4.1',
    },
    response: {
      permission,
      user_message: permission === 'deny' ? 'Ask the platform team first.' : undefined,
    },
    outcome: 'answered',
    permission,
    failure: null,
    message: null,
    exit_code: 0,
    signal: null,
    duration_ms: 5 + ((number * 37) % 200),
    stderr: 'checked 14 rules in 3 files\n',
    notes: [],
    failed_open: false,
    verdict: { permission, continue: null },
    redacted: ['request.attachments: left out (contents)'],
    release: 12,
    revision: 3,
    hook_id: number % 60,
    mode: 'enforce',
  }
}
