// Redaction is made of alternatives: names of keys, prefixes of issuers, ways to pair a name with its value. Each has
// a case here that only it satisfies. The secrets are made up and put together at run time, so that no scanner that
// reads this repository takes them for real ones.

import { describe, expect, it } from 'vitest'
import { redactFields, redactText } from './redact.js'
import { secretKind } from './secret-keys.js'
import { SHAPES } from './secret-patterns.js'

const KEEP = { contents: false, prompts: false, outputs: false, emails: false }
const fields = (value: Record<string, unknown>) => redactFields(value, 'request', {}, KEEP).value
const text = (value: string) => redactText(value, 'stderr', [])
const SECRET = 'hunter2x'

describe('a value beside its name', () => {
  const masked = '[secret: password]'

  it.each([
    [{ name: 'DB_PASSWORD' }],
    [{ key: 'DB_PASSWORD' }],
    [{ name: 'DB_PASSWORD', key: 'database' }],
    [{ name: 'database', key: 'DB_PASSWORD' }],
    [{ key: 'DB_PASSWORD', name: 7 }],
    [{ key: 'DB_PASSWORD', name: null }],
    [{ name: 'DB_PASSWORD', key: 7 }],
  ])('is masked beside %j, in either order', names => {
    expect(fields({ env: [{ ...names, value: SECRET }] })).toEqual({ env: [{ ...names, value: masked }] })
    expect(fields({ env: [{ value: SECRET, ...names }] })).toEqual({ env: [{ value: masked, ...names }] })
  })

  it.each([[{ name: 'database' }], [{ key: 'database' }], [{}], [{ name: 7, key: null }]])(
    'stays beside %j',
    names => {
      expect(fields({ env: [{ ...names, value: SECRET }] })).toEqual({ env: [{ ...names, value: SECRET }] })
    },
  )

  it('is masked behind a flag of a list, unless it is a flag itself', () => {
    expect(fields({ argv: ['--token', SECRET, '-pwd', SECRET] })).toEqual({
      argv: ['--token', '[secret: token]', '-pwd', masked],
    })
    expect(fields({ argv: ['--token', '--verbose', SECRET] })).toEqual({
      argv: ['--token', '--verbose', SECRET],
    })
    expect(fields({ argv: ['token', SECRET] })).toEqual({ argv: ['token', SECRET] })
    expect(fields({ argv: ['--token', 12345] })).toEqual({ argv: ['--token', '[secret: token]'] })
  })
})

describe('a key', () => {
  it.each([
    ['passwd', 'password'],
    ['password', 'password'],
    ['passphrase', 'password'],
    ['passcode', 'password'],
    ['pwd', 'password'],
    ['smtp_pass', 'password'],
    ['private-key', 'private key'],
    ['signingKey', 'private key'],
    ['ENCRYPTION_KEY', 'private key'],
    ['master_key', 'private key'],
    ['accessKey', 'access key'],
    ['AccountKey', 'access key'],
    ['api-key', 'api key'],
    ['secret', 'secret'],
    ['authorization', 'authorization'],
    ['authorisation', 'authorization'],
    ['auth', 'authorization'],
    ['credential', 'credential'],
    ['credentials', 'credential'],
    ['cookie', 'cookie'],
    ['cookies', 'cookie'],
    ['jwt', 'token'],
    ['bearer', 'token'],
    ['token', 'token'],
    ['accesstoken', 'token'],
    ...['access', 'auth', 'refresh', 'api', 'bearer', 'session', 'id'].map(word => [
      `${word}_tokens`,
      'token',
    ]),
    ...['2', 'prod', 'production', 'dev', 'test', 'staging', 'value', 'raw', 'base64', 'b64', 'text'].map(
      word => [`PASSWORD_${word.toUpperCase()}`, 'password'],
    ),
    ...['string', 'header', 'old', 'new', 'current', 'id'].map(word => [`token_${word}`, 'token']),
  ])('%s holds a %s', (key, kind) => {
    expect(secretKind(key)).toBe(kind)
  })

  it.each([
    ...['max', 'min', 'num', 'total', 'avg', 'per', 'input', 'output', 'prompt', 'completion'],
    ...['eos', 'bos', 'pad', 'unk', 'first', 'last', 'unexpected'],
  ])('%s_token is counted, in one word and in two', word => {
    expect([secretKind(`${word}_token`), secretKind(`${word}token`)]).toEqual([null, null])
  })

  it.each([
    ...['secretary', 'secretion', 'pass', 'tokens', 'other_tokens', 'p[password]', 'x', 'a'.repeat(101)],
    ...['token_count', 'passwordFile', 'secret_name', 'cookie_policy', 'credential_helper'],
  ])('%s holds none', key => {
    expect(secretKind(key)).toBe(null)
  })
})

describe('a value under the key of a secret', () => {
  it.each([
    ...['true', 'false', 'null', 'nil', 'none', 'undefined', 'yes', 'no', 'on', 'off', 'string', 'str'],
    ...['number', 'int', 'boolean', 'bool', 'any', 'unknown', 'object', 'bytes', '****', 'xxx', '...', '…'],
    ...['$TOKEN', '${TOKEN}', '%TOKEN%', '{{ token }}', '${{ secrets.TOKEN }}', '<your token>', ''],
  ])('stays when it is %j', value => {
    expect(fields({ token: value })).toEqual({ token: value })
  })

  it.each([
    ['private_key', '/run/keys/id'],
    ['private_key', 'C:\\keys\\id'],
    ['PWD', '/home/someone'],
    ['OLDPWD', '~/project'],
    ['secrets', './secrets'],
    ['credentials', '../gcp.json'],
    ['cookies', '/tmp/jar'],
    ['auth', 'oauth'],
    ['_auth', 'basic'],
  ])('stays when %s is %j', (key, value) => {
    expect(fields({ [key]: value })).toEqual({ [key]: value })
  })

  it.each([
    ['token', '/run/keys/id'],
    ['password', './secrets'],
    ['private_key', 'no-path'],
    ['auth', 'a8f3k29d'],
    ['token', 'truely'],
    ['token', 0],
    ['token', ['a']],
    ['token', { a: 1 }],
  ])('is masked when %s is %j', (key, value) => {
    expect(JSON.stringify(fields({ [key]: value }))).toMatch(/\[secret: /)
  })

  it.each([null, true, false])('stays when it is %j', value => {
    expect(fields({ token: value })).toEqual({ token: value })
  })
})

/** For each issuer: one text per needle and per alternative of its pattern. % is the random part. */
const ISSUED: Readonly<Record<string, readonly string[]>> = {
  'private key': ['-----BEGIN PRIVATE' + ' KEY-----%', '-----BEGIN PGP PRIVATE' + ' KEY BLOCK-----%'],
  jwt: ['ey' + 'J%.eyJ%'],
  'aws key id': ['AK' + 'IA%', 'AS' + 'IA%'],
  'aws secret': ['aws ', 'AWS ', 'Aws '].map(word => `${word}${'aB3/'.repeat(10)} `),
  'github token': ['p', 'o', 's', 'u', 'r'].map(kind => `gh${kind}_%`).concat('github' + '_pat_%'),
  'gitlab token': ['pat', 'ptt', 'cbt', 'dt', 'rt', 'ft'].map(kind => `gl${kind}-%`),
  'slack token': [
    ...['xo' + 'xb-%', 'xo' + 'xe.xo' + 'xp-%', 'xa' + 'pp-%'],
    ...['services', 'workflows'].map(kind => `hooks.slack.com/${kind}/%`),
  ],
  'stripe key': ['sk_live', 'rk_live', 'sk_test', 'rk_test', 'wh' + 'sec'].map(kind => `${kind}_%`),
  'anthropic key': ['sk-' + 'ant-%'],
  'openai key': ['sk-' + '%', ...['proj', 'svcacct', 'admin', 'or'].map(kind => `sk-${kind}-%`)],
  'google key': ['AI' + 'za%', 'ya' + '29.%', 'GO' + 'CSPX-%'],
  'npm token': ['np' + 'm_%'],
  'pypi token': ['py' + 'pi-%%'],
  'twilio key': [` S${'K'}${'0f'.repeat(16)} `],
  'sendgrid key': ['S' + 'G.%.%'],
  'digitalocean token': ['o', 'p', 'r', 't'].map(kind => `do${kind}_v1_${'0f'.repeat(16)}`),
  'huggingface token': ['h' + 'f_%'],
  'telegram token': ['123456789:A' + 'A%'],
  'service token': [
    ...['dckr_' + 'pat_%', 'dckr_' + 'oat_%', 'sh' + 'pat_%', 'hv' + 's.%', 'gs' + 'k_%', 'lin' + '_api_%'],
    ...['AT' + 'ATT3%', 'ts' + 'key-auth-%', 'AGE-' + 'SECRET-KEY-1%'],
  ],
  'azure signature': ['?', '&', ';'].map(sign => `https://a.example/${sign}sig=%`),
  authorization: ['Bearer %', 'bearer %', 'BEARER %', 'Basic %', 'basic %', 'BASIC %'],
  'url password': ['amqp://someone:%@host', 'amqp://:%@host'],
  password: [
    ...[' -u', ' --user', ' --proxy-user'].flatMap(flag => [`curl${flag} joe:%`, `wget${flag}=joe:%`]),
    ...['sshpass -p %', 'sshpass -p% ls'],
  ],
}

describe('a secret of an issuer', () => {
  const random = 'A1B2C3D4'.repeat(5)

  it('has a text for every shape', () => {
    expect(Object.keys(ISSUED).sort()).toEqual(SHAPES.map(({ name }) => name).sort())
  })

  it.each(Object.entries(ISSUED).flatMap(([kind, all]) => all.map(each => [kind, each] as const)))(
    '%s: %s',
    (kind, template) => {
      const out = text(template.replaceAll('%', random))
      expect(out).toContain(`[secret: ${kind}]`)
      expect(out).not.toContain(random)
    },
  )

  it.each(SHAPES.flatMap(({ name, needs }) => needs.map(needle => [name, needle] as const)))(
    '%s has a text with %s',
    (name, needle) => {
      // The mark of another shape, which no text here begins with.
      if (needle.startsWith('[secret: ')) return
      expect(ISSUED[name]!.some(template => template.includes(needle))).toBe(true)
    },
  )

  it('aws secret: beside a key id that was masked', () => {
    expect(text(`AK${'IA'}${'Q'.repeat(16)} ${'aB3/'.repeat(10)}`)).toBe(
      '[secret: aws key id] [secret: aws secret]',
    )
  })
})

describe('a name in a text', () => {
  it.each([
    ...['pass_word', 'pwd', 'my-secret', 'a_token', 'cookie', 'credential', 'authorization', 'authorisation'],
    ...['_auth', 'jwt', 'api_key', 'apiKey', 'access-key', 'private_key', 'account_key', 'signing_key'],
    ...['encryption_key', 'master_key', 'X_PASS', 'id_token'],
  ])('%s masks what follows it', name => {
    expect(text(`${name}=a8f3k29d next`)).toMatch(/=\[secret: [a-z ]+\] next$/)
  })

  it.each([
    ['token=%', 'token=*'],
    ['token:%', 'token:*'],
    ['token := "%"', 'token := "*"'],
    ["'token' => '%'", "'token' => '*'"],
    ['token: `%`', 'token: `*`'],
    ['["token"] = "%"', '["token"] = "*"'],
    ['"name": "token", "value": "%"', '"name": "token", "value": "*"'],
    ["'name': 'token', 'value': '%'", "'name': 'token', 'value': '*'"],
    ['["--token","%"]', '["--token","*"]'],
    ['--token %', '--token *'],
    ['<token>%</token>', '<token>*</token>'],
  ])('%s', (before, after) => {
    expect(text(before.replace('%', 'a8f3k29d'))).toBe(after.replace('*', '[secret: token]'))
  })

  it.each(['token == x12345', 'token === x12345', 'token::x12345', 'token x12345', '"token", "x12345"'])(
    '%s is no pair',
    sentence => {
      expect(text(sentence)).toBe(sentence)
    },
  )
})
