// What a path means for the machine: the system, the home, the workspace, or a place for temporary files.

import { posix } from 'node:path'
import { UNKNOWN, type Word } from './call.js'
import { patternOf } from './patterns.js'

export type Zone =
  | 'root'
  | 'system'
  | 'home'
  | 'parent'
  | 'workspace'
  | 'inside'
  | 'temporary'
  | 'outside'
  | 'unknown'

export interface Paths {
  readonly home: string
  /** The workspace. */
  readonly root: string
}

const TEMPORARY =
  /^(?:\/private)?\/(?:var\/)?tmp\/+[^/.*?][^/]*|^(?:\/private)?\/(?:var\/)?tmp\/+(?:\*|\.[^./])|^\/var\/folders\/.|^\/dev\/shm\/./
const SYSTEM =
  /^\/(?:bin|boot|dev|etc|lib\w*|opt|proc|root|run|sbin|srv|sys|usr|var|home|mnt|media|snap|nix|System|Library|Applications|Users|Volumes|private)(?:\/|$|[*?{[])/
const HARMLESS_DEVICE =
  /^\/dev\/(?:(?:tcp|udp)\/.*|null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+|ptmx)$/
const HOME = /^\/(?:home|Users)\/[^/]+(?:\/+\*?)?$|^\/root(?:\/+\*?)?$/

/** The absolute path of a word, with `.` and `..` resolved; a pattern stays one. */
export function absolute(text: string, cwd: string | undefined, { home }: Paths): string | undefined {
  const given = text
    .replace(/^file:\/\//, '')
    .replace(/^(?:~|%(?:USERPROFILE|HOMEPATH)%)(?=[\\/]|$)/i, home)
    .replace(/^%(?:SYSTEMROOT|WINDIR|SYSTEMDRIVE|PROGRAMFILES)%/i, 'C:')
  if (/^[a-z]:[\\/]/i.test(given)) return given
  if (given.startsWith('/')) return posix.normalize(given)
  return cwd === undefined ? undefined : posix.normalize(`${cwd.replace(/^~(?=\/|$)/, home)}/${given}`)
}

const withoutMarks = (text: string): string => text.replace(/[\uE001-\uE003]/g, '')

export function zoneOf(word: Word, cwd: string | undefined, paths: Paths): Zone {
  const text = withoutMarks(word.text)
  if (!word.isKnown) return unknownZone(text, cwd, paths)
  if (text === '') return 'inside'
  if (word.isQuoted && /^~|[*?[{]/.test(text)) {
    const zone = zoneOf(
      { text: text.replace(/^~/, './~').replace(/[*?[{]/g, '_'), isKnown: true },
      cwd,
      paths,
    )
    return zone === 'outside' ? 'unknown' : zone
  }
  if (/^%\w+%/.test(text))
    return zoneOf({ text: absolute(text, cwd, paths) ?? text, isKnown: true }, cwd, paths)
  if (/^[a-z]:[\\/]*(?:\*|windows|users|program files)?/i.test(text) && /^[a-z]:/i.test(text)) return 'system'
  const path = absolute(text, cwd, paths)
  if (path === undefined) return /^(?:\.{1,2}|\*)\/*\*?$/.test(text) ? 'unknown' : 'inside'
  const { home, root } = paths
  const plain = path.length > 1 ? path.replace(/\/+$/, '') : path
  const folder = plain.replace(/\/(?:\.?\*|\.\[!\.\]\*|\{[^/]*\}|\.\*)$/, '') || '/'
  if (folder === '/' || /^\/+(?:\*|\?+|\{)/.test(plain)) return 'root'
  if (TEMPORARY.test(plain)) return 'temporary'
  if (folder === home || HOME.test(plain) || /^\/(?:home|Users)(?:\/\*)?$/.test(plain)) return 'home'
  if (folder === root) return plain === folder || /\/\.?\*$/.test(plain) ? 'workspace' : 'inside'
  if (`${root}/`.startsWith(`${folder}/`)) return 'parent'
  if (plain.startsWith(`${root}/`)) return 'inside'
  if (HARMLESS_DEVICE.test(plain)) return 'temporary'
  if (SYSTEM.test(plain) && !plain.startsWith(`${home}/`) && !/^\/(?:home|Users)\/[^/]+\/./.test(plain))
    return 'system'
  return 'outside'
}

/** An empty variable turns `$DIR/*` into `/*`. */
function unknownZone(text: string, cwd: string | undefined, paths: Paths): Zone {
  const rest = text.slice(text.lastIndexOf(UNKNOWN) + 1)
  if (text.startsWith(UNKNOWN)) {
    if (/^\/+(?:\*|\.\*)?$/.test(rest)) return 'root'
    const asRoot = rest.startsWith('/') ? zoneOf({ text: rest, isKnown: true }, cwd, paths) : 'unknown'
    return asRoot === 'system' && /^\/(?:etc|usr|bin|boot|lib\w*|sbin|root|home)(?:\/|$)/.test(rest)
      ? 'system'
      : 'unknown'
  }
  const known = text.slice(0, text.indexOf(UNKNOWN))
  const zone = zoneOf({ text: known.replace(/[^/]*$/, 'x'), isKnown: true }, cwd, paths)
  return zone === 'inside' || zone === 'temporary'
    ? rest.includes('..')
      ? 'unknown'
      : zone
    : zone === 'outside'
      ? 'unknown'
      : zone
}

/** Credentials and private keys, by the names that programs give them. */
const SECRET = new RegExp(
  `(?:^|/)(?:${[
    '\\.ssh/(?:id_\\w+|identity|[^/]*(?:key|\\.pem)|\\*|$)|\\.ssh$',
    '\\.aws(?:/credentials|/config|/sso/cache/.*|/\\*|/?$)',
    '\\.gnupg(?:/|$)|\\.netrc|_netrc|\\.pgpass|\\.my\\.cnf|\\.npmrc|\\.pypirc|\\.git-credentials|\\.boto|\\.s3cfg',
    '\\.kube/config|\\.docker/config\\.json|\\.config/(?:gcloud|gh|glab-cli|op|hub|rclone)(?:/.*)?',
    '\\.cargo/credentials(?:\\.toml)?|\\.gem/credentials|\\.azure(?:/|$)|\\.vault-token|\\.password-store|\\.terraform\\.d/credentials\\S*',
    'id_(?:rsa|dsa|ecdsa|ed25519)|credentials\\.json|service[-_]account[^/]*\\.json|etc/kubernetes/admin\\.conf',
    'shadow|gshadow|sudoers|master\\.key|[^/]*\\.(?:keychain|keychain-db|kdbx)|Login Data|cookies\\.sqlite|logins\\.json',
  ].join('|')})$`,
)
/** Files that often hold a key, but not always. */
const KEY_FILE =
  /\.(?:pem|p12|pfx|key|keystore|jks|asc|ppk)$|(?:^|\/)secrets?\.(?:ya?ml|json|env|toml)$|(?:^|\/)(?:certs?|keys|secrets|private|credentials)\/\*$/
const ENVIRONMENT =
  /(?:^|\/)\.env(?:\.(?!example|sample|template|dist|defaults?$)[\w-]+)?$|(?:^|\/)\.envrc$|^\/proc\/(?:self|\d+|\*)\/environ$/

export type Secret = 'key' | 'key-file' | 'environment'

/** Where credentials are usually found, for words with `*`, `?` and `[…]`. */
const USUAL =
  '.ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .aws/credentials .netrc .git-credentials .pgpass .kube/config .docker/config.json .gnupg/secring.gpg'.split(
    ' ',
  )

function fitsSecret(pattern: string): boolean {
  const parts = pattern.split('/').slice(-2)
  // `*` alone is no name, and it leaves out what begins with a dot.
  if (parts.every(part => part.replace(/[*?[\]]/g, '').length < 2) || parts.join('/').length > 80)
    return false
  const fits = patternOf(parts.join('/'))
  return USUAL.some(name => fits?.test(name) || (parts.length === 1 && fits?.test(name.split('/').at(-1)!)))
}

export function secretOf(text: string): Secret | undefined {
  const path = text.replace(/^@/, '').replace(/\\/g, '/')
  // A sentence or a command, such as the pattern of a search.
  if (/^[\w-]+\s/.test(path)) return undefined
  if (/\.pub$|(?:^|\/)(?:fixtures?|testdata|examples?)\//.test(path)) return undefined
  if (SECRET.test(path) || (/[*?[]/.test(path) && fitsSecret(path))) return 'key'
  if (KEY_FILE.test(path)) return 'key-file'
  return ENVIRONMENT.test(path) ? 'environment' : undefined
}
