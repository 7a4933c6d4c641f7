// Packages that a command installs: names like those of popular packages, sources that are not pinned, and install scripts.
// Passes installs to `sfw` or `safe-chain` where one is installed.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Finding, findingOf, fitsAny, type Guard, type Judgement, listOf } from '../guard.js'
import { commandOf } from '../payload.js'
import { readCommand } from '../shell/index.js'
import { isOneEditAway, POPULAR } from './popular.js'

const ALTERNATIVES = {
  'packages/typosquat': 'Look at the package first: `npm view lodash`.',
  'packages/unpinned': 'Name a commit or a release: `npm install express@4.19.2`.',
  'packages/scripts': 'Install without scripts: `npm install --ignore-scripts esbuild`.',
  'packages/young': 'Take an older version: `npm install express@4.19.2`.',
  'packages/delegate': 'Install through the checker: `sfw npm install express`.',
  'packages/source': 'Use the registry of the project: `pip install requests`.',
} as const
const finding = findingOf(ALTERNATIVES)

type Ecosystem = keyof typeof POPULAR

/** They install and start the package that they name first. */
const RUNNERS = /^(?:npx|bunx|pnpx)$/

/** Program, the words that install, and where the names come from. */
const INSTALLERS: readonly (readonly [program: RegExp, verb: RegExp, ecosystem: Ecosystem])[] = [
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^(?:install|i|add|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|update|up|upgrade)$/,
    'npm',
  ],
  [RUNNERS, /^/, 'npm'],
  [/^(?:pip\d?(?:\.\d+)?|pipx|uv|poetry|pdm|conda)$/, /^(?:install|add|pip)$/, 'pypi'],
  [/^cargo$/, /^(?:add|install)$/, 'cargo'],
  [/^gem$/, /^install$/, 'gem'],
]
const VALUED =
  /^(?:-r|-c|-e|-i|-t|--requirement|--constraint|--editable|--index-url|--extra-index-url|--registry|--target|--prefix|--features|--version|--group|-p|--package)$/

export const packages: Guard = {
  name: 'packages',
  summary: 'installs: look-alike names, unpinned sources, install scripts, young versions',
  options: {
    allow: { type: 'list', about: 'packages that are not checked; * is any text', default: [] },
    scripts: { type: 'switch', about: 'ask before an install that runs scripts of packages', default: false },
    minimumAgeDays: {
      type: 'number',
      about: 'ask for npm versions that are younger; the registry is asked (0: never)',
      default: 0,
    },
    delegate: {
      type: 'switch',
      about: 'deny installs beside sfw or safe-chain, where one is installed',
      default: false,
    },
  },
  alternatives: ALTERNATIVES,
  async judge(payload, options, place): Promise<Judgement> {
    const command = commandOf(payload)
    if (command === undefined) return { findings: [] }
    const findings: Finding[] = []
    const { calls } = readCommand(command, place)
    for (const { name, args } of calls) {
      const install = installOf(
        ...asInstaller(
          name,
          args.map(({ text }) => text),
        ),
      )
      if (!install) continue
      const { ecosystem, names, texts } = install
      const wanted = names.filter(one => !fitsAny(listOf(options, 'allow'), one))
      for (const one of wanted) findings.push(...checkName(one, ecosystem))
      const other = texts.find(
        (text, index) =>
          /^(?:--(?:extra-)?index-url|--registry|-i)$/.test(texts[index - 1] ?? '') ||
          /^--(?:(?:extra-)?index-url|registry)=/.test(text),
      )
      if (other !== undefined && !OFFICIAL.test(other))
        findings.push(finding('packages/source', 'It installs from another registry.', 'ask'))
      if (options.scripts === true && ecosystem === 'npm' && !texts.includes('--ignore-scripts'))
        findings.push(finding('packages/scripts', 'It may run the install scripts of packages.', 'ask'))
      const checker = options.delegate === true && wanted.length > 0 ? CHECKERS.find(isOnPath) : undefined
      if (checker && !calls.some(call => CHECKERS.includes(call.name)))
        findings.push(finding('packages/delegate', `${checker} is installed, and checks what is installed.`))
      const days = typeof options.minimumAgeDays === 'number' ? options.minimumAgeDays : 0
      if (days > 0 && ecosystem === 'npm')
        for (const one of wanted.slice(0, 8)) {
          const young = await isYoung(one, days)
          if (young) findings.push(finding('packages/young', young, 'ask'))
        }
    }
    return { findings }
  },
}

const CHECKERS = ['sfw', 'safe-chain']

const OFFICIAL =
  /^(?:--[\w-]+=)?https:\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org\/simple)\/?$/

/** The same call in the words of an installer: `python -m pip …`, `npm exec …`, `npm create x`, `uvx …`. */
function asInstaller(name: string, texts: readonly string[]): [name: string, texts: readonly string[]] {
  const [first = '', second = ''] = texts
  if (/^py(?:thon[\d.]*)?$/.test(name) && first === '-m' && /^pip[x\d]*$/.test(second))
    return [second, texts.slice(2)]
  if (/^(?:uvx|uv|pipx)$/.test(name) && (name === 'uvx' || /^(?:tool|run)$/.test(first)))
    return [
      'pip',
      [
        'install',
        ...texts.slice(name === 'uvx' ? 0 : second === 'install' || second === 'run' ? 2 : 1, 9).slice(0, 1),
      ],
    ]
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) {
    if (/^(?:exec|x|dlx)$/.test(first)) return ['npx', texts.slice(1)]
    if (/^(?:create|init|innit)$/.test(first) && /^[a-z]/.test(second)) return ['npx', [`create-${second}`]]
  }
  return [name, texts]
}

function installOf(name: string, texts: readonly string[]) {
  const row = INSTALLERS.find(([program]) => program.test(name))
  if (!row) return undefined
  const isRunner = RUNNERS.test(name)
  const given = isRunner ? texts.filter((_, index) => /^(?:-p|--package)$/.test(texts[index - 1] ?? '')) : []
  const words = texts.filter((text, index) => !text.startsWith('-') && !VALUED.test(texts[index - 1] ?? ''))
  const verbs = isRunner ? 0 : words.findIndex(text => row[1].test(text))
  if (verbs === -1 || (verbs > 1 && !isRunner)) return undefined
  const after = isRunner
    ? given.length > 0
      ? given
      : words.slice(0, 1)
    : words.slice(verbs + 1).filter(text => text !== 'install')
  return { ecosystem: row[2], names: after, texts }
}

function checkName(given: string, ecosystem: Ecosystem): Finding[] {
  if (
    /^(?:git\+|git:|github:|gitlab:|bitbucket:|https?:|ssh:)|\.git(?:#|$)|^[\w-]+\/[\w.-]+(?:#|$)/.test(
      given,
    ) &&
    !/^@/.test(given)
  ) {
    const isPinned = /#[0-9a-f]{7,40}$|@[0-9a-f]{7,40}(?:#|$)|#semver:|@v?\d+\.\d+/.test(given)
    return isPinned
      ? []
      : [finding('packages/unpinned', `${given} is not pinned to a commit or release.`, 'ask')]
  }
  if (/^[./~]|^file:/.test(given)) return []
  const name = given
    .replace(/^npm:/, '')
    .replace(/(?<=.)@.*$/, '')
    .replace(/[=<>!~[].*$/, '')
    .toLowerCase()
    .replaceAll('_', ecosystem === 'pypi' ? '-' : '_')
  const known = POPULAR[ecosystem]
  if (known.includes(name) || name.length < 4 || name.startsWith('@')) return []
  const meant = known.find(
    one =>
      one.length > 3 && (isOneEditAway(name, one) || name.replaceAll('-', '') === one.replaceAll('-', '')),
  )
  // Short names are close to each other without intent.
  return meant
    ? [
        finding(
          'packages/typosquat',
          `"${name}" is easily mistaken for "${meant}".`,
          name.length < 6 ? 'ask' : 'deny',
        ),
      ]
    : []
}

const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return folder.startsWith('/')
    } catch {
      return false
    }
  })

/** Undefined if the version is old enough, or if the registry does not answer in time. */
async function isYoung(given: string, days: number): Promise<string | undefined> {
  const [, name, version = 'latest'] = /^((?:@[^/]+\/)?[^@]+)(?:@(.+))?$/.exec(given) ?? []
  if (!name || /[:#]/.test(given)) return undefined
  const registry = (process.env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, '')
  try {
    const response = await fetch(`${registry}/${name.replace('/', '%2f')}`, {
      signal: AbortSignal.timeout(3000),
    })
    const body = (await response.json()) as {
      time?: Record<string, string>
      'dist-tags'?: Record<string, string>
    }
    // A range takes the newest version, as far as one can tell without resolving it.
    const exact =
      body['dist-tags']?.[version] ??
      (body.time?.[version] ? version : (body['dist-tags']?.latest ?? version))
    const time = Date.parse(body.time?.[exact] ?? '')
    const age = (Date.now() - time) / 86_400_000
    return age < days ? `${name}@${exact} is ${Math.floor(age)} days old.` : undefined
  } catch {
    return undefined
  }
}
