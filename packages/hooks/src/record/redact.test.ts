import { describe, expect, it } from 'vitest'
import { redactFields, redactText } from './redact.js'
import { secretKind } from './secret-keys.js'

const KEEP = { contents: false, prompts: false, outputs: false, emails: false }
const text = (value: string) => redactText(value, 'stderr', [])
const fields = (value: Record<string, unknown>, sensitive = {}, options = KEEP) =>
  redactFields(value, 'request', sensitive, options)

const fakeGithub = `gh${'p_'}${'a1B2'.repeat(9)}`

describe('what stays readable', () => {
  it.each([
    'The token is expired; ask for a new password in the settings.',
    'Unexpected token < in JSON at position 0',
    "SyntaxError: Unexpected token '}', line 4",
    'error: invalid token: expired',
    'Password: must be at least twelve characters',
    'use --token to sign in, and --password for the rest',
    'max_tokens: 4096, input_tokens=1200, cache_read_tokens: 80, token_count = 7',
    '{"max_tokens":4096,"usage":{"input_tokens":12,"output_tokens":40,"total_tokens":52}}',
    '{"token_type":"bearer","expires_in":3600,"password_required":true,"secret":null}',
    'commit 8f14e45fceea167a5a36dedd4bea2543aabbccdd of 2024-01-01',
    'aws s3 cp build/8f14e45fceea167a5a36dedd4bea2543aabbccdd s3://bucket/path',
    'id 0b7c1c9e-6f0e-4d4e-9d52-8b1f4e1f2a3b',
    'sha512-abc== sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '/home/someone/projects/secrets/token-store/src/password.ts:14:3 error',
    'src/auth/token.ts: 3 errors, secrets.json: not found',
    'PWD=/home/someone/project OLDPWD=/tmp',
    'git config credential.helper store',
    'docker run -u 1000:1000 -v ./secrets:/run/secrets image',
    'PASSWORD_FILE=/run/secrets/db npm start',
    'psql "password=$DB_PASSWORD" && echo ${API_TOKEN}',
    'git clone git@github.com:someone/repository.git && curl http://localhost:5173/@vite/client',
    'https://localhost:3000?email=someone@example.com ssh://git@host:22/x',
    'Basic authentication and Bearer authentication are supported',
    'npm_config_registry=https://registry.npmjs.org/ npm_lifecycle_event=test',
    'the risk-assessment-of-things and sk-fading-circle sk-cube-grid-loading-indicator',
    'task-8f14e45fceea167a5a36dedd4bea2543aabbccdd',
    'if (token == null || token === undefined) return tokens.map(token => token.id)',
    'interface Login { password: string; token?: string }',
    'The secretary: Jane. Tokenizer: fast. Compass: north.',
    'data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0',
    'const cookieName = config.cookie.name',
  ])('%s', sentence => {
    expect(text(sentence)).toBe(sentence)
  })

  it.each(
    'max_tokens inputTokens cache_read_tokens token_count tokenLimit tokenizer token_type eos_token maxToken tokens password_file secretName credential_helper cookiePolicy secretary monkey key path author public_key tool_use_id'.split(
      ' ',
    ),
  )('the key %s', key => {
    expect(secretKind(key)).toBe(null)
    expect(fields({ [key]: 'a value 42' }).value).toEqual({ [key]: 'a value 42' })
  })

  it('switches, nothing, and groups of settings under keys of secrets', () => {
    const value = {
      password: null,
      token: true,
      secret: '',
      auth: { user: 'joe' },
      credentials: './gcp.json',
    }
    expect(fields(value)).toEqual({ value, notes: [] })
  })
})

describe('what is masked', () => {
  it.each([
    ['DB_PASSWORD=hunter2 npm start', 'DB_PASSWORD=[secret: password] npm start'],
    ["mysql --password 'hunter two' -h db", "mysql --password '[secret: password]' -h db"],
    ['password: hunter2', 'password: [secret: password]'],
    ['my password: hunter2 and more', 'my password: [secret: password] and more'],
    ['curl -H "Authorization: Bearer abc.def" u', 'curl -H "Authorization: [secret: authorization]" u'],
    ['Cookie: a=1; b=2\nHost: x', 'Cookie: [secret: cookie]\nHost: x'],
    ['x?access_token=abc123&page=2', 'x?access_token=[secret: token]&page=2'],
    ['Server=db;Password=ab,c;Database=x', 'Server=db;Password=[secret: password];Database=x'],
    ['<password>hunter2</password>', '<password>[secret: password]</password>'],
    ['redis://:hunter2@cache:6379', 'redis://:[secret: url password]@cache:6379'],
    ['https://joe:p@ss:w@host/x', 'https://joe:[secret: url password]@host/x'],
    [`found ${fakeGithub}!`, 'found [secret: github token]!'],
    [`GITHUB_TOKEN=${fakeGithub}`, 'GITHUB_TOKEN=[secret: github token]'],
    ['{"apiKey": "k", "n": 1', '{"apiKey": "[secret: api key]", "n": 1'],
    ['{\\"token\\":\\"a\\\\\\"b\\"}', '{\\"token\\":\\"[secret: token]\\"}'],
    ['{"pa\\u0073sword":"hunter2"}', '{"password":"[secret: password]"}'],
    ['password = [secret: hunter2]', 'password = [secret: password]'],
    ['client_secret := "abc"', 'client_secret := "[secret: secret]"'],
  ])('%s', (before, after) => {
    expect(text(before)).toBe(after)
  })

  it('in the message of an error, and under a key of up to 100 characters', () => {
    const key = `${'a_very_long_name_of_a_service_'.repeat(3)}password`
    const { value } = fields({ error: new Error('PASSWORD=hunter2 was refused'), [key]: 'hunter2' })
    expect(value).toEqual({
      error: 'Error: PASSWORD=[secret: password] was refused',
      [key]: '[secret: password]',
    })
  })

  it('says where and what', () => {
    const { value, notes } = fields({
      env: { API_KEY: 'k' },
      command: `echo ${fakeGithub}`,
      list: [{ pwd: 1234 }],
    })
    expect(value).toEqual({
      env: { API_KEY: '[secret: api key]' },
      command: 'echo [secret: github token]',
      list: [{ pwd: '[secret: password]' }],
    })
    expect(notes).toEqual([
      'request.env.API_KEY: secret (api key)',
      'request.command: secret (github token)',
      'request.list[0].pwd: secret (password)',
    ])
  })
})

describe('what is left out by setting', () => {
  const sensitive = { tool_input: 'contents', edits: 'contents', prompt: 'prompts', output: 'outputs' }

  it('leaves whole texts out and says how much', () => {
    const { value, notes } = fields({ prompt: 'x'.repeat(1234), output: '', other: 'y' }, sensitive, {
      contents: true,
      prompts: true,
      outputs: true,
      emails: true,
    })
    expect(value).toEqual({ prompt: '[left out: 1,234 characters]', output: '', other: 'y' })
    expect(notes).toEqual(['request.prompt: left out (prompts)'])
  })

  it('keeps the small parts of a tool input, and its command', () => {
    const long = 'echo '.repeat(100)
    const options = { ...KEEP, contents: true }
    const input = {
      path: 'a.ts',
      content: 'x',
      nested: { newString: 'y' },
      command: long,
      note: long,
      list: [long],
    }
    const stored = {
      path: 'a.ts',
      content: '[left out: 1 character]',
      nested: { newString: '[left out: 1 character]' },
      command: long,
      note: '[left out: 500 characters]',
      list: ['[left out: 500 characters]'],
    }
    expect(fields({ tool_input: input }, sensitive, options).value).toEqual({ tool_input: stored })
    const asText = fields({ tool_input: JSON.stringify(input) }, sensitive, options).value
      .tool_input as string
    expect(JSON.parse(asText)).toEqual(stored)
    expect(fields({ tool_input: '{ "sql": "select 1" }' }, sensitive, options).value).toEqual({
      tool_input: '{ "sql": "select 1" }',
    })
    expect(fields({ tool_input: 'not json' }, sensitive, options).value).toEqual({
      tool_input: '[left out: 8 characters]',
    })
    expect(fields({ edits: [{ old_string: 'a', new_string: '' }] }, sensitive, options).value).toEqual({
      edits: [{ old_string: '[left out: 1 character]', new_string: '' }],
    })
  })
})

describe('what is bounded', () => {
  it('cuts long texts and says so', () => {
    const { value, notes } = fields({ output: 'a line of output\n'.repeat(100_000) })
    expect((value.output as string).length).toBe(16 * 1024)
    expect(notes).toEqual(['request.output: cut at 16384 characters'])
  })

  it('never cuts a character in half', () => {
    const out = text(`x${'😀'.repeat(20_000)}`)
    expect(Buffer.from(out).toString()).toBe(out)
    expect(out.length).toBeGreaterThan(16_000)
  })

  it('bounds depth, items, keys and the whole', () => {
    let deep: unknown = 'bottom'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const cycle: Record<string, unknown> = { a: 1 }
    cycle.self = cycle
    const { value } = fields({
      deep,
      cycle,
      items: Array.from({ length: 5000 }, (_, i) => i),
      ['k'.repeat(100_000)]: 1,
      many: Array.from({ length: 900 }, () => 'lorem ipsum '.repeat(1000)),
      wide: Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, i])),
    })
    expect(JSON.stringify(value)).toContain('[too deep]')
    expect(value.cycle).toEqual({ a: 1, self: '[cycle]' })
    expect(value.items).toHaveLength(1000)
    expect(value['[key: 100,000 characters]']).toBe(1)
    expect(JSON.stringify(value).length).toBeLessThan(128 * 1024)
  })

  it('survives what cannot be read', () => {
    const thrower = {
      get bad() {
        throw new Error('no')
      },
    }
    const refusing = new Proxy({}, { ownKeys: () => assertNever() })
    const own = JSON.parse('{"__proto__":{"x":1}}')
    const { value } = fields({
      thrower,
      refusing,
      own,
      toJSON: 1,
      bytes: new Uint8Array(2000),
      when: new Date(0),
    })
    expect(value).toMatchObject({ thrower: '[unreadable]', refusing: '[unreadable]', toJSON: 1 })
    expect(value.bytes).toBe('[binary: 2,000 bytes]')
    expect(value.when).toBe('1970-01-01T00:00:00.000Z')
    expect(JSON.stringify(value.own)).toBe('{"__proto__":{"x":1}}')
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})

const assertNever = (): never => {
  throw new Error('refused')
}
