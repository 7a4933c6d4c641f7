// Protected files and folders: secrets are not read, and the files that decide what runs are not changed. Links and `..` are
// resolved, for tools and for the words of shell commands.

import { realpathSync } from 'node:fs'
import { basename, dirname, join, posix, resolve } from 'node:path'
import {
  type Finding,
  findingOf,
  fitsAny,
  type Guard,
  type Judgement,
  listOf,
  type Options,
  type Place,
} from '../guard.js'
import { attachmentsOf, commandOf, filesOf } from '../payload.js'
import { type Call, readCommand } from '../shell/index.js'
import { outputsOf } from '../shell/outputs.js'
import { secretOf } from '../shell/paths.js'

const ALTERNATIVES = {
  'paths/read': 'Read the example beside it, `cat .env.example`, or ask the user for the value.',
  'paths/write':
    'Write the text into a new file, `cp settings.json settings.new.json`, and ask the user to move it.',
} as const
const finding = findingOf(ALTERNATIVES)

/** From the root of the workspace or the home folder. A folder includes all that is in it. */
const GUARDED =
  '.git/hooks .git/config .cursor/hooks.json .cursor/hooks .cursor/holdfast.json .cursor/mcp.json .holdfast .claude/settings.json .claude/settings.local.json .claude/hooks .codex/hooks.json .codex/config.toml .github/hooks .gemini/settings.json .qwen/settings.json .ssh .gnupg .bashrc .bash_profile .profile .zshrc .zshenv .config/fish/config.fish .config/autostart .config/systemd Library/LaunchAgents'.split(
    ' ',
  )

export const paths: Guard = {
  name: 'paths',
  summary: 'protected files: secrets, and settings of hooks, git and the shell',
  options: {
    protect: {
      type: 'list',
      about: 'further paths that are neither read nor changed; * is any text',
      default: [],
    },
    readonly: { type: 'list', about: 'further paths that are not changed', default: [] },
    allow: { type: 'list', about: 'paths that are not protected', default: [] },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options, place): Judgement {
    const findings: Finding[] = []
    const add = (path: string, cwd: string, isRead: boolean) => {
      const found = protectedBy(path, cwd, isRead, options, place)
      if (found && !findings.some(({ reason }) => reason === found.reason)) findings.push(found)
    }
    for (const { path, isRead } of filesOf(payload)) add(path, place.cwd, isRead)
    for (const path of attachmentsOf(payload)) add(path, place.cwd, true)
    const command = commandOf(payload)
    if (command === undefined) return { findings }
    for (const call of readCommand(command, place).calls) {
      if (call.isRemote) continue
      const folder = call.cwd ?? place.cwd
      for (const { operator, target } of call.redirects) add(pathIn(target.text), folder, operator === '<')
      for (const { text } of outputsOf(call)) add(pathIn(text), folder, false)
      const way = wayOf(call)
      if (way === undefined) continue
      const words = call.args.filter(({ text }, index) => !isOption(text) && !isAside(call, index))
      for (const [index, { text }] of words.entries()) {
        const path = pathIn(text)
        if (path !== '' && !/\s/.test(path) && !/^\w+:\/\//.test(path))
          add(
            path,
            folder,
            way === 'read' || /^if=/.test(text) || (way === 'copy' && index < words.length - 1),
          )
      }
    }
    return { findings }
  },
}

/** They only show names. */
const NAMES =
  /^(?:ls|ll|stat|test|\[|\[\[|find|fd|echo|printf|cd|pushd|mkdir|basename|dirname|realpath|readlink|which|type|tree|du|file|wc|sha\d*sum|md5sum|cksum|export|source|\.)$/
const COPIES = /^(?:cp|install|rsync|scp|ln)$/
/** Everything else could change the files that it names. */
const READS =
  /^(?:cat|less|more|head|tail|tac|nl|bat|grep|egrep|fgrep|rg|ag|awk|gawk|jq|yq|sort|uniq|cut|diff|cmp|comm|xxd|od|hexdump|strings|base64|node|python[\d.]*|ruby|bash|sh|zsh|docker|npm|npx|yarn|pnpm|make|curl|wget|openssl|gpg|ssh|ssh-keygen|tar|zip|7z|cpio|gzip|xz|zstd|bzip2|split|nc|socat|rclone|gsutil|perl|php|pandoc|shuf|tsort|join|iconv|date|batcat|pr|column|paste|fold|fmt|rev|expand|view|code|kubectl|terraform|aws|gh)$/
/** Commands of git that change the files that they name. */
const GIT_WRITES = /^(?:rm|mv|checkout|restore|clean|apply)$/

/** What a call does with the files that it names; undefined if it only names them. */
function wayOf({ name, args }: Call): 'read' | 'copy' | 'write' | undefined {
  const has = (pattern: RegExp) => args.some(({ text }) => pattern.test(text))
  if (name === 'find' && has(/^-(?:delete|fprintf?|fls)$/)) return 'write'
  if (name === 'git') return has(GIT_WRITES) && !has(/^--cached$/) ? 'write' : undefined
  if (NAMES.test(name)) return undefined
  if (COPIES.test(name)) return 'copy'
  return READS.test(name) ? 'read' : 'write'
}

/** An option without a path in it. */
const isOption = (text: string): boolean => /^-/.test(text) && !/[=/.@]/.test(text)

/** A program uses these files; nobody sees them. */
const isAside = ({ name, args }: Call, index: number): boolean => {
  const own = /^--(?:env-file|kubeconfig|cert|key|netrc-file|identity-file|ssh-key)(?:=|$)/
  const before = args[index - 1]?.text ?? ''
  return (
    own.test(args[index]!.text) ||
    own.test(before) ||
    (/^(?:ssh|scp|sftp|mosh|ssh-copy-id)$/.test(name) && before === '-i') ||
    (name === 'chmod' && /^0?[4-7]00$/.test(before))
  )
}

/** `--file=PATH`, `if=PATH`, `@PATH`, and what follows a part that is not known. */
const pathIn = (text: string): string =>
  text
    .replace(/^.*\0[\uE000-\uE0FF]?\/*/s, '')
    .replace(/^(?:--?[\w-]+=|\w+=@?|[\w-]*@|-[a-zA-Z]@?(?=[./~]))/, '')

function protectedBy(
  given: string,
  cwd: string,
  isRead: boolean,
  options: Options,
  place: Place,
): Finding | undefined {
  const home = place.home
  const expanded = given.replace(/^file:\/\//, '').replace(/^~(?=\/|$)/, home)
  const path = resolve(cwd.replace(/^~(?=\/|$)/, home), expanded)
  for (const one of new Set([path, followed(path)])) {
    const names = namesOf(one, place)
    if (names.some(name => fitsAny(listOf(options, 'allow'), name))) continue
    const isOwn = names.some(name => fitsAny(listOf(options, 'protect'), name))
    const isSecret =
      ['key', 'environment'].includes(secretOf(one) ?? '') ||
      names.some(name => HIDDEN_SECRETS.some(secret => isFitting(name, secret)))
    if (isRead && (isOwn || isSecret)) return finding('paths/read', `${given} is protected.`)
    if (isRead) continue
    if (isOwn || names.some(name => fitsAny(listOf(options, 'readonly'), name) || isGuarded(name)))
      return finding('paths/write', `${given} is protected from changes.`)
    if (secretOf(one) === 'key') return finding('paths/write', `${given} is protected from changes.`)
  }
  return undefined
}

const fold = process.platform === 'linux' ? (text: string) => text : (text: string) => text.toLowerCase()

/** A pattern counts as its folder, and as every path that it fits. */
function isGuarded(name: string): boolean {
  const text = fold(name.replace(/\/\*.*$/, ''))
  return GUARDED.some(one => text === fold(one) || text.startsWith(`${fold(one)}/`) || isFitting(name, one))
}

/** `.e*` fits `.env`; a `*` or `?` at the start of a name leaves out hidden files. */
const isFitting = (pattern: string, name: string): boolean =>
  /[*?]/.test(pattern) && !/^\*|\/[*?]/.test(pattern) && fitsAny([pattern], name)

const HIDDEN_SECRETS = ['.env', '.env.local', '.env.production', '.ssh/id_rsa', '.aws/credentials', '.netrc']

/** The path from the workspace, from the home folder, its file name, and the whole path. */
function namesOf(path: string, { root, home }: Place): string[] {
  const from = (folder: string) =>
    path === folder || path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []
  return [...from(root), ...from(followed(root)), ...from(home), basename(path), path].map(name =>
    posix.normalize(name),
  )
}

/** With the links of the part that exists. */
function followed(path: string): string {
  for (let at = path, rest = ''; ; rest = join(basename(at), rest), at = dirname(at)) {
    try {
      return join(realpathSync.native(at), rest)
    } catch {
      if (at === dirname(at)) return path
    }
  }
}
