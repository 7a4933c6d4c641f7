// The laws of redaction: no secret stays, twice is once, the result is plain JSON. The secrets are made up and put
// together at run time, so that no scanner that reads this repository takes them for real ones.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import { redactFields, redactText } from './redact.js'
import { maskKeyed } from './secret-keys.js'
import { maskShapes, SHAPES } from './secret-patterns.js'

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const HEX = '0123456789abcdef'
const BASE62 = DIGITS + LOWER + UPPER
const WIDE = `${BASE62}_-`

const some = (alphabet: string, min: number, max = min) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: min, maxLength: max })
const joined = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc
    .tuple(...parts.map(part => (typeof part === 'string' ? fc.constant(part) : part)))
    .map(all => all.join(''))
const word = (...choices: string[]) => fc.constantFrom(...choices)
const dashes = '-'.repeat(5)

/** By the name of the shape; % is the place of the secret in the text that the shape needs around it. */
const SECRETS: Readonly<Record<string, { secret: fc.Arbitrary<string>; around?: string }>> = {
  'private key': {
    secret: joined(
      joined(
        dashes,
        'BEGIN ',
        word('', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '),
        'PRIVATE',
        ' KEY',
        dashes,
        '\n',
      ),
      some(`${BASE62}+/`, 40, 300),
      word('', `\n${dashes}END PRIVATE KEY${dashes}`),
    ),
  },
  jwt: {
    secret: joined('ey', 'J', some(BASE62, 20, 60), '.ey', 'J', some(WIDE, 20, 90), '.', some(WIDE, 20, 60)),
  },
  'aws key id': { secret: joined(word('AK', 'AS'), 'IA', some(UPPER + DIGITS, 16)) },
  'aws secret': { secret: joined('a', some(`${BASE62}/+`, 37), 'Z', '7'), around: ' aws says % .' },
  'github token': {
    secret: fc.oneof(
      joined('gh', word('p', 'o', 's', 'u', 'r'), '_', some(BASE62, 36)),
      joined('github', '_pat_', some(BASE62, 22), '_', some(BASE62, 59)),
    ),
  },
  'gitlab token': { secret: joined('gl', word('pat', 'dt', 'rt'), '-', some(WIDE, 20, 40)) },
  'slack token': {
    secret: fc.oneof(
      joined('xo', word('xb', 'xp', 'xa', 'xs'), '-', some(DIGITS, 10, 12), '-', some(BASE62, 24)),
      joined('hooks.', 'slack.com/services/T', some(UPPER, 8), '/B', some(UPPER, 8), '/', some(BASE62, 24)),
    ),
  },
  'stripe key': { secret: joined(word('s', 'r'), 'k_', word('live', 'test'), '_', some(BASE62, 24, 99)) },
  'anthropic key': { secret: joined('sk', '-ant-', 'api03-', some(WIDE, 80, 95)) },
  'openai key': {
    secret: joined('sk', '-', fc.oneof(some(BASE62, 46), joined('proj-', some(WIDE, 40, 150))), 'T3'),
  },
  'google key': { secret: joined('AI', 'za', some(WIDE, 35)) },
  'npm token': { secret: joined('np', 'm_', some(BASE62, 36)) },
  'pypi token': { secret: joined('py', 'pi-AgEIcHlwaS5vcmc', some(WIDE, 50, 150)) },
  'twilio key': { secret: joined('S', 'K', some(HEX, 32)), around: ' % ' },
  'sendgrid key': { secret: joined('S', 'G.', some(WIDE, 22), '.', some(WIDE, 43)) },
  'digitalocean token': { secret: joined('do', word('p', 'o', 'r'), '_v1', '_', some(HEX, 64)) },
  'huggingface token': { secret: joined('h', 'f_', some(BASE62, 34)) },
  'telegram token': { secret: joined(some(DIGITS, 8, 10), ':A', 'A', some(WIDE, 33)) },
  'service token': { secret: joined('dckr', '_pat_', some(WIDE, 27)) },
  'azure signature': {
    secret: joined(some(BASE62, 40), '%3D'),
    around: 'https://a.example/c?sv=1&sig=% ',
  },
  authorization: { secret: joined(some(BASE62, 20, 60), 'a9'), around: ' Bearer % ' },
  'url password': {
    secret: joined('p', some(`${BASE62}!$%^&*()_+=~.,;:@-`, 6, 30), 'x'),
    around: 'postgres://someone:%@db.example:5432/app ',
  },
  password: {
    secret: some(`${BASE62}!%^*()_+=~.-`, 8, 30),
    around: ' curl -s -u someone:% https://a.example/ ',
  },
}

/** A secret of any shape with what it needs around it. */
const shaped = fc
  .constantFrom(...Object.entries(SECRETS))
  .chain(([shape, { secret, around = '%' }]) =>
    secret.map(value => ({ shape, secret: value, text: around.replace('%', () => value) })),
  )

/** Passwords as people choose them: no blanks, no quotes, nothing that begins the next setting. */
const password = joined(
  some(BASE62, 1),
  some(`${BASE62}!#%^*()_+~.@/?`, 6, 30),
  some(DIGITS, 1),
  some(BASE62, 1),
)

const KEYS = (
  'password DB_PASSWORD dbPassword db-password passwd PGPASSWD passphrase DB_PWD SMTP_PASS secret client_secret ' +
  'clientSecret CLIENT-SECRET SECRET_KEY_BASE token accessToken GITHUB_TOKEN _authToken refresh-token accesstoken ' +
  'apiKey api_key API-KEY apikey X-Api-Key access_key AWS_SECRET_ACCESS_KEY secretAccessKey private_key privateKey ' +
  'AccountKey SharedAccessKey authorization Proxy-Authorization cookie Set-Cookie credential credentials TOKEN_PROD'
).split(' ')
const key = fc.constantFrom(...KEYS)

/** Ways in which a text gives a key its value. */
const FORMS: readonly ((key: string, value: string) => string)[] = [
  (k, v) => `${k}=${v}`,
  (k, v) => `export ${k}="${v}"`,
  (k, v) => `${k}: ${v}`,
  (k, v) => `"${k}": "${v}",`,
  (k, v) => `'${k}' => '${v}'`,
  (k, v) => `--${k} ${v} --verbose`,
  (k, v) => `--${k}=${v}`,
  (k, v) => `<${k}>${v}</${k}>`,
  (k, v) => `-H '${k}: ${v}' https://a.example`,
  (k, v) => `https://a.example/?${k}=${v}&page=2`,
  (k, v) => `first\\n${k}=${v}\\nUSER=joe`,
  (k, v) => JSON.stringify({ a: 1, [k]: v }),
  (k, v) => JSON.stringify(JSON.stringify({ [k]: v })),
  (k, v) => `log: ${JSON.stringify(JSON.stringify({ inner: JSON.stringify({ [k]: v }) }))} and more`,
  (k, v) => `text with ${k}: ${v} in the middle`,
  (k, v) => JSON.stringify(['run', `--${k}`, v]),
  (k, v) => JSON.stringify({ env: [{ name: k, value: v }] }),
]
const form = fc.constantFrom(...FORMS)

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 })
const KEEP_ALL = { contents: false, prompts: false, outputs: false, emails: false }
const LEAVE_ALL = { contents: true, prompts: true, outputs: true, emails: true }
const SENSITIVE = { tool_input: 'contents', edits: 'contents', prompt: 'prompts', output: 'outputs' } as const

const redact = (fields: Record<string, unknown>, options = KEEP_ALL) =>
  redactFields(fields, 'request', SENSITIVE, options)

/** In a record the secret could be unescaped, or escaped once or twice. */
function expectGone(stored: unknown, secret: string) {
  const json = JSON.stringify(stored)
  const once = JSON.stringify(secret).slice(1, -1)
  for (const spelling of [secret, once, JSON.stringify(once).slice(1, -1)]) {
    expect(json.includes(spelling), `${secret}\n${json}`).toBe(false)
  }
}

describe('no secret stays', () => {
  it('has a made-up secret for every shape', () => {
    expect(Object.keys(SECRETS).sort()).toEqual(SHAPES.map(shape => shape.name).sort())
  })

  it.each(Object.entries(SECRETS))('%s in text', (shape, { secret, around = '%' }) => {
    fc.assert(
      fc.property(secret, anyText, anyText, (value, before, after) => {
        // The same word in plain text is no secret: a password may be any word.
        fc.pre(!before.includes(value) && !after.includes(value))
        const notes: string[] = []
        const out = redactText(`${before} ${around.replace('%', () => value)} ${after}`, 'stderr', notes)
        expectGone([out, notes], value)
        expect(notes.length, shape).toBeGreaterThan(0)
      }),
      { numRuns: 60 },
    )
  })

  it('nested anywhere, as a value, a key or JSON in a string', () => {
    fc.assert(
      fc.property(
        shaped,
        fc.jsonValue({ maxDepth: 2 }),
        fc.nat(4),
        anyText,
        ({ secret, text }, other, way, name) => {
          fc.pre(!JSON.stringify([other, name]).includes(secret))
          const nested = [
            { [name]: [other, { deep: [text] }] },
            { [text]: other },
            { tool_output: JSON.stringify({ [name]: { text } }) },
            { tool_output: JSON.stringify(JSON.stringify([other, text])) },
            { list: [[[[text, other]]]] },
          ][way]!
          const { value, notes } = redact(nested)
          expectGone([value, notes], secret)
        },
      ),
      { numRuns: randomRuns(600) },
    )
  })

  it('under a key that names one, at any depth and of any type', () => {
    fc.assert(
      fc.property(key, password, anyText, (name, value, other) => {
        expectGone(redact({ [name]: value }).value, value)
        expectGone(redact({ a: [{ b: { [name]: { deep: [value] } } }, other] }).value, value)
        expectGone(redact({ argv: ['run', `--${name}`, value] }).value, value)
        expectGone(redact({ headers: [{ name, value }] }).value, value)
      }),
      { numRuns: randomRuns(300) },
    )
  })

  it('behind a key in every form of text', () => {
    fc.assert(
      fc.property(key, password, form, anyText, (name, value, write, before) => {
        const text = `${before}\n${write(name, value)}`
        expectGone(redactText(text, 'stderr', []), value)
      }),
      { numRuns: randomRuns(1000) },
    )
  })

  it('not even in part where the text is cut', () => {
    fc.assert(
      fc.property(
        shaped,
        fc.integer({ min: -400, max: 400 }),
        fc.boolean(),
        ({ text, secret }, shift, window) => {
          const at = (window ? 20 * 1024 : 16 * 1024) + shift
          const long = `${'lorem ipsum '.repeat(2000).slice(0, at - 1)} ${text} ${'dolor sit '.repeat(2000)}`
          const out = redactText(long, 'stderr', [])
          expect(out.length).toBeLessThanOrEqual(16 * 1024)
          // The beginning is public (a prefix), so a part is what is longer than that.
          expect(out.includes(secret.slice(0, secret.includes('PRIVATE') ? 60 : 24))).toBe(false)
        },
      ),
      { numRuns: randomRuns(200) },
    )
  })

  it('when masking shrinks the text so that the end of the window comes into view', () => {
    fc.assert(
      fc.property(shaped, fc.integer({ min: 1, max: 60 }), ({ text, secret }, part) => {
        const filler = `DB_PASSWORD=${'x1'.repeat(700)}\n`.repeat(20)
        const long = `${filler.slice(0, 20 * 1024 - part - 1)} ${text}${' tail'.repeat(3000)}`
        expect(redactText(long, 'stderr', []).includes(secret.slice(0, 12))).toBe(false)
      }),
      { numRuns: 100 },
    )
  })
})

const hostile = fc.oneof(
  anyText,
  shaped.map(({ text }) => text),
  fc.tuple(form, key, password).map(([write, name, value]) => write(name, value)),
  fc.tuple(form, key, anyText).map(([write, name, value]) => write(name, value)),
  fc.constantFrom(
    '[secret: token]',
    '[secret: ',
    '[left out: 12 characters]',
    'password',
    '="',
    ': ',
    '\\n',
    '\\"',
  ),
)
const mixedText = fc.array(hostile, { maxLength: 6 }).map(parts => parts.join(' '))
const gluedText = fc.array(hostile, { maxLength: 6 }).map(parts => parts.join(''))
const anyString = fc.oneof(
  mixedText,
  gluedText,
  gluedText.map(text => JSON.stringify({ text })),
)

const anyFields = fc.dictionary(
  fc.oneof(
    key,
    anyString,
    fc.constantFrom('prompt', 'output', 'tool_input', 'edits', 'content', 'name', 'value'),
  ),
  fc.oneof(
    anyString,
    fc.jsonValue(),
    fc.dictionary(
      fc.oneof(key, anyString, fc.constant('content')),
      fc.oneof(anyString, fc.array(anyString)),
      {
        maxKeys: 4,
      },
    ),
  ),
  { maxKeys: 6 },
)

describe('twice is once', () => {
  it('for text', () => {
    fc.assert(
      fc.property(anyString, text => {
        const once = redactText(text, 'a', [])
        expect(redactText(once, 'a', [])).toBe(once)
      }),
      { numRuns: randomRuns(1500) },
    )
  })

  it('for text that is cut', () => {
    fc.assert(
      fc.property(anyString, anyString, fc.integer({ min: 15_000, max: 30_000 }), (one, other, length) => {
        const text = `${one} ${other} `
          .repeat(Math.ceil(length / (one.length + other.length + 2)))
          .slice(0, length)
        const once = redactText(text, 'a', [])
        expect(once.length).toBeLessThanOrEqual(16 * 1024)
        expect(redactText(once, 'a', [])).toBe(once)
      }),
      { numRuns: 60 },
    )
  })

  it('for payloads, whatever is left out', () => {
    fc.assert(
      fc.property(anyFields, fc.constantFrom(KEEP_ALL, LEAVE_ALL), (fields, options) => {
        const once = redact(fields, options).value
        expect(redact(once as Record<string, unknown>, options).value).toEqual(once)
      }),
      { numRuns: randomRuns(1500) },
    )
  })
})

describe('always plain JSON', () => {
  it('for any value at all', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
    })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anything), fields => {
        const { value } = redact(fields, LEAVE_ALL)
        expect(JSON.parse(JSON.stringify(value))).toEqual(value)
      }),
      { numRuns: randomRuns(1000) },
    )
  })
})

describe('linear', () => {
  const SIZE = 100_000
  /** Linear work takes some 20 ms of the processor, work that grows with the square of the size several seconds. */
  const LIMIT_MS = 1_000
  const repeat = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE)
  const bait = (start: string) => [
    repeat(start),
    repeat(`${start} `),
    repeat(`${start}aB3`),
    repeat(`${start}\\n`),
    start + repeat('a'),
    start + repeat('-A'),
    start + repeat('='),
    repeat('a') + start,
    repeat(`${start}${'A0'.repeat(7)}`),
    repeat(`${start}${'0f'.repeat(60)} `),
  ]
  const PREFIXES: Readonly<Record<string, readonly string[]>> = {
    'private key': [
      `${dashes}BEGIN `,
      `${dashes}BEGIN PRIVATE KEY${dashes}`,
      `${dashes}BEGIN PRIVATE KEY${dashes}${dashes}END `,
    ],
    'url password': ['://', '://a:', '://a:b@', 'a://:', '://a:1'],
    authorization: ['Bearer ', 'Basic\t\t', 'bearer    '],
    password: ['curl -u ', 'curl -u a', 'curl -u a:', ' -u ', 'sshpass -p ', 'curl'],
    jwt: ['eyJ', 'eyJaaaaaaaa.', 'eyJaaaaaaaa.eyJ'],
    'telegram token': ['0', '12345678:AA', '1234567890:'],
    'aws secret': ['aws', 'a/+', 'aws 0aA'],
    'sendgrid key': ['SG.', 'SG.aaaaaaaaaaaaaaaa.', 'SG.aaaaaaaaaaaaaaaaSG.'],
  }

  /** Milliseconds of the processor: other programs on the machine do not count. */
  const workOf = (run: () => unknown) => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const most = (texts: readonly string[], run: (text: string) => unknown) =>
    Math.max(...texts.map(text => workOf(() => run(text))))

  it.each(SHAPES.map(shape => [shape.name, shape] as const))('%s', (name, { pattern, needs }) => {
    const texts = [...(PREFIXES[name] ?? []), ...needs].flatMap(bait)
    expect(most(texts, text => text.replace(pattern, ''))).toBeLessThan(LIMIT_MS)
  })

  it('the whole table, and keys', () => {
    const starts = [
      'password=',
      'token',
      'pass',
      '--secret ',
      '"token":"',
      "secret='",
      'cookie: ',
      'api key: ',
      '<pwd>',
    ]
    const tricks = [
      'password=[',
      'token: \\',
      'password=\\\\\\"',
      'token=)',
      'token=a&',
      'a.token: it.',
      '[secret: token]',
    ]
    const texts = [...starts, ...tricks].flatMap(bait)
    expect(most(texts, text => maskKeyed(text, () => {}))).toBeLessThan(LIMIT_MS)
    expect(most(texts.slice(0, 20), text => maskShapes(text, () => {}))).toBeLessThan(LIMIT_MS)
  })

  it('cut before anything is looked at', () => {
    const long = repeat('a Bearer token: x ').repeat(50)
    expect(most([long], text => redactText(text, 'stderr', []))).toBeLessThan(LIMIT_MS)
  })
})
