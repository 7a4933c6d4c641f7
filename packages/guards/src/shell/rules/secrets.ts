// Credentials: shown to the agent, copied, or sent to another machine.

import { type Call, isShell, UNKNOWN } from '../call.js'
import { type Finding, finding, type Rule, type Subject } from '../finding.js'
import { hasOrigin, isSecret, readsSecret } from '../origins.js'
import { secretOf } from '../paths.js'

/** They print what they read. */
const PRINTS =
  /^(?:cat|less|more|head|tail|tac|nl|bat|batcat|strings|xxd|od|hexdump|base64|base32|grep|rg|egrep|fgrep|zcat|zgrep|awk|gawk|sed|cut|sort|uniq|openssl|gpg|code|vim?|nano|type|get-content|gc|paste|fold|rev|diff|cmp|jq|yq|xargs|pr|column|fmt|expand|look|shuf|tsort|join|comm|iconv|m4|numfmt|date|ssh-keygen|mapfile|readarray)$/
const COPIES =
  /^(?:cp|mv|install|rsync|ln|scp|tar|bsdtar|zip|7z|gzip|xz|bzip2|zstd|dd|openssl|gpg|base64|tee|cpio|split)$/
const ARCHIVES = /^(?:tar|zip|7z|bsdtar|cpio)$/
const SENDS =
  /^(?:curl|wget|http|https|xh|nc|ncat|netcat|scp|rsync|sftp|ftp|telnet|socat|mail|mailx|sendmail|mutt|aws|gsutil|gcloud|az|rclone|gh|glab|ssh|dig|nslookup|host|tftp|croc|wormhole|transfer|magic-wormhole|s3cmd|mc|ngrok|tar|openssl|lftp|ping)$/

/** Options of curl whose value is not sent. */
const CURL_OTHER =
  /^(?:-[oKEAebcwxmDuUCrYyzPt]|--(?:output|config|cert|key|cacert|capath|user-agent|referer|cookie-jar|write-out|proxy|max-time|dump-header|user|range|interface|resolve|connect-timeout|retry|netrc-file|output-dir|trace\S*|stderr))$/

const isLocal = ({ args }: Call): boolean => {
  const hosts = args.filter(({ text }) =>
    /^(?:https?:\/\/)?(?:localhost|127\.\d|\[?::1|0\.0\.0\.0)/.test(text),
  )
  return hosts.length > 0
}

/** The files whose content a call sends, by its arguments. */
function sentFiles(call: Call): string[] {
  const texts = call.args.map(({ text }) => text)
  switch (call.name) {
    case 'curl': {
      const files: string[] = []
      for (let at = 0; at < texts.length; at++) {
        const text = texts[at]!
        if (CURL_OTHER.test(text)) {
          at++
          continue
        }
        if (/^(?:-T|--upload-file)$/.test(text)) files.push(texts[at + 1] ?? '')
        else if (/^(?:-T.|--upload-file=)/.test(text)) files.push(text.replace(/^(?:-T|--upload-file=)/, ''))
        else if (/^-\w*o./.test(text) && !text.startsWith('--')) continue
        const [, file] =
          /(?:^|=|^-[dF])[@<]([\s\S]+)$/.exec(text) ?? /^-[a-zA-Z]*[dF]\w*=?[@<]([\s\S]+)$/.exec(text) ?? []
        const named = /^--data-urlencode$/.test(texts[at - 1] ?? '')
          ? /^\w*@(.+)$/.exec(text)?.[1]
          : undefined
        if (named) files.push(named)
        if (file) files.push(...file.split(/[,;]/))
      }
      return files
    }
    case 'wget':
      return texts.flatMap((text, index) => {
        const [, option, value] = /^--(post-file|body-file)(?:=(.*))?$/.exec(text) ?? []
        return option ? [value ?? texts[index + 1] ?? ''] : []
      })
    case 'scp':
    case 'rsync':
    case 'sftp': {
      const operands = texts.filter(
        (text, index) => !/^-/.test(text) && !/^-[ie]$/.test(texts[index - 1] ?? ''),
      )
      return /^(?:[^/]+:|rsync:|sftp:|scp:)/.test(operands.at(-1) ?? '') ? operands.slice(0, -1) : []
    }
    case 'socat':
      return /\b(?:TCP|UDP|OPENSSL|SSL|SOCKS|PROXY|SCTP)\S*:/i.test(texts.join(' '))
        ? texts.flatMap(text => /^(?:OPEN|FILE|GOPEN|EXEC:"?cat):([^,]+)/i.exec(text)?.[1] ?? [])
        : []
    case 'ssh':
    case 'openssl':
    case 'ping':
      return []
    case 'tar':
      // An archive on another machine: `--file=host:/path`.
      return texts.some(text => /^(?:--file=|-?\w*f)?[\w.-]+:/.test(text)) && !texts.includes('--force-local')
        ? texts
        : []
    case 'aws':
    case 'gsutil':
    case 'rclone':
    case 'mc':
    case 's3cmd':
    case 'gcloud':
    case 'az':
      return /\b(?:cp|mv|sync|copy|copyto|put|put-object|upload|put-secret-value)\b/.test(texts.join(' '))
        ? texts
        : []
    default:
      return texts
  }
}

const archives = (call: Call): boolean =>
  (ARCHIVES.test(call.name) && !call.args.some(({ text }) => /^--no-recursion$|^-?[tx]/.test(text))) ||
  (call.name === 'git' && call.args[0]?.text === 'archive')

const SENT = 'It sends credentials to another machine.'

const secrets: Rule = subject => {
  const { name, call, texts, operands } = subject
  // `ssh -n` reads nothing.
  const isClosed = name === 'ssh' && subject.has('n')
  if (SENDS.test(name) && !isLocal(call) && !isClosed) {
    if (call.from.some(archives))
      return finding(
        'secrets/send-archive',
        'It sends an archive of files to another machine.',
        name === 'ssh' ? 'ask' : 'deny',
      )
    const isSending =
      name !== 'curl' || /(?:^| )(?:-\w*[dFT]|--(?:data|form|upload|json))/.test(texts.join(' '))
    if (
      sentFiles(call).some(isSecret) ||
      texts.some(text => hasOrigin(text, 'secret')) ||
      (isSending &&
        (call.from.some(readsSecret) ||
          call.redirects.some(({ operator, target }) => operator === '<' && isSecret(target.text))))
    ) {
      const isElsewhere = !/^(?:scp|rsync|sftp)$/.test(name) || !operands.at(-1)?.text.startsWith(UNKNOWN)
      return finding('secrets/send', SENT, isElsewhere ? 'deny' : 'ask')
    }
  }
  const isToNetwork = call.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.text))
  if (isToNetwork && (archives(call) || readsSecret(call) || call.from.some(readsSecret)))
    return finding('secrets/send', SENT)
  return reads(subject)
}

function reads({ name, call, texts, operands }: Subject): Finding | undefined {
  const line = texts.join(' ')
  if (name === 'security' && /find-(?:generic|internet)-password|find-key|dump-keychain|export/.test(line))
    return finding(
      'secrets/read',
      'It reads passwords from the keychain.',
      /find-/.test(line) && !/ -\w*[wg]/.test(line) ? 'ask' : 'deny',
    )
  if (archives(call) && /^(?:tar|bsdtar|cpio)$/.test(name))
    for (const { text } of operands)
      if (secretOf(text) === 'key') {
        const isShown = /(?:^| )(?:-?\w*f ?-|--file=-|-)(?: |$)/.test(line) && call.redirects.length === 0
        return finding('secrets/read', 'It packs private keys or credentials.', isShown ? 'deny' : 'ask')
      }
  if (name === 'gpg' && /--export-secret/.test(line))
    return finding('secrets/read', 'It exports private keys.')
  const inputs = call.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)
  const outputs = new Set(
    texts.filter((_, index) => /^(?:-o|--output|-out|-keyout)$/.test(texts[index - 1] ?? '')),
  )
  const isPrinting =
    PRINTS.test(name) ||
    name === ':' ||
    (/^(?:perl|ruby)$/.test(name) && /(?:^| )-\w*[np]/.test(line)) ||
    (name === 'dd' && !/(?:^| )of=/.test(line)) ||
    (COPIES.test(name) &&
      /(?:^| )(?:-\w*c|--stdout|-|\/dev\/stdout)(?: |$)/.test(line) &&
      !/^(?:tar|scp|rsync)$/.test(name))
  const shows =
    (name === 'openssl' && !/\b(?:rsa|pkey|pkcs12|pkcs8|ec|enc)\b/.test(line)) ||
    (name === 'ssh-keygen' && !/(?:^| )-\w*[yp]/.test(line))
  if (isPrinting && !shows)
    for (const { text } of [...call.args, ...inputs]) {
      const kind = outputs.has(text)
        ? undefined
        : (secretOf(text.replace(/^if=/, '')) ??
          (/^[\w.-]+$/.test(text) && call.cwd ? secretOf(`${call.cwd}/${text}`) : undefined))
      if (kind === 'key') return finding('secrets/read', 'It reads a private key or credentials.')
      if (kind === 'key-file')
        return finding('secrets/read', 'It reads a file that may hold a private key.', 'ask')
      if (kind) return finding('secrets/read', 'It reads a file with environment secrets.')
    }
  if (/^(?:echo|printf)$/.test(name) && !call.isSubstituted && texts.some(text => hasOrigin(text, 'secret')))
    return finding('secrets/read', 'It prints what it read from a file with secrets.')
  if (
    (name === 'curl' && texts.some(text => /^file:/.test(text) && secretOf(text) === 'key')) ||
    (name === 'git' &&
      /^(?:diff|grep|hash-object|blame)$/.test(operands[0]?.text ?? '') &&
      operands.some(({ text }) => secretOf(text) === 'key'))
  )
    return finding('secrets/read', 'It reads a private key or credentials.')
  if (
    (name === 'pass' &&
      /^(?:show|[\w/-]+)$/.test(texts[0] ?? '') &&
      !/^(?:ls|list|find|git|init|insert|generate|help|version)$/.test(texts[0] ?? '')) ||
    (name === 'op' && /^read\b/.test(line)) ||
    (name === 'bw' && /^get (?:password|item|notes|totp)\b/.test(line))
  )
    return finding('secrets/read', 'It shows a secret from a password store.', 'ask')
  // A file of an earlier commit: `git show HEAD:.env`.
  if (name === 'git' && /^(?:show|cat-file|archive)$/.test(operands[0]?.text ?? ''))
    for (const { text } of operands) {
      const kind = /:/.test(text) ? secretOf(text.replace(/^[^:]*:/, '')) : undefined
      if (kind === 'key' || kind === 'environment')
        return finding('secrets/read', 'It reads credentials of an earlier commit.')
    }
  const variable =
    name === 'printenv'
      ? texts.find(text => CREDENTIAL.test(text))
      : /^(?:echo|printf)$/.test(name) && !call.isSubstituted
        ? credentialIn(call)
        : undefined
  if (variable !== undefined) return finding('secrets/read', 'It prints a credential from the environment.')
  if (/^(?:rm|unlink|shred|mv)$/.test(name))
    for (const { text } of name === 'mv' ? operands.slice(0, -1) : operands)
      if (
        secretOf(text) === 'key' &&
        /^[~/]/.test(text) &&
        !/^[~/].*\/\.ssh\//.test(name === 'mv' ? (operands.at(-1)?.text ?? '') : '')
      )
        return finding('secrets/change', 'It removes a private key or credentials.')
  for (const { operator, target } of call.redirects)
    if (/>/.test(operator) && secretOf(target.text) === 'key' && /^[~/]/.test(target.text))
      return finding('secrets/change', 'It overwrites a private key or credentials.')
  if (/^(?:cp|ln|install|dd)$/.test(name) && !line.includes('--attributes-only'))
    for (const { text } of name === 'dd' ? call.args : operands.slice(0, -1))
      if (secretOf(text.replace(/^if=/, '')) === 'key')
        return finding(
          'secrets/read',
          'It copies a private key or credentials.',
          /^(?:if=)?[~/]/.test(text) ? 'deny' : 'ask',
        )
  return undefined
}

/** Variables with the credentials of well-known services. */
const CREDENTIAL =
  /^(?:AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|(?:GITHUB|GH|GITLAB|NPM|HF|SLACK|VAULT|PYPI|CARGO_REGISTRY|DIGITALOCEAN|LINEAR|SENTRY_AUTH)_TOKEN|(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE|AZURE|MISTRAL|COHERE|STRIPE|SENDGRID|DATADOG|DD)_(?:API_)?(?:SECRET_)?KEY|DATABASE_URL|DB_PASSWORD|PGPASSWORD|MYSQL_PWD|POSTGRES_PASSWORD|REDIS_URL|JWT_SECRET|SECRET_KEY(?:_BASE)?|STRIPE_SECRET_KEY|SLACK_BOT_TOKEN)$/

const credentialIn = (call: Call): string | undefined => call.credentials?.find(name => CREDENTIAL.test(name))

/** A secret that is copied or packed into another file, and then that file is sent. */
export function sendsCopy(calls: readonly Call[]): Finding | undefined {
  const copies = new Set<string>()
  const nameOf = (text: string) => text.replace(/^\.\//, '')
  const isTainted = (text: string) => isSecret(text) || copies.has(nameOf(text))
  for (const call of calls) {
    const texts = call.args.map(({ text }) => text)
    if (SENDS.test(call.name) && !isLocal(call)) {
      const read = [
        ...sentFiles(call),
        ...call.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target.text),
        ...call.from.flatMap(({ args }) => args.map(({ text }) => text)),
      ]
      if (read.some(text => copies.has(nameOf(text)))) return finding('secrets/send', SENT)
    }
    const written = call.redirects
      .filter(({ operator }) => />/.test(operator))
      .map(({ target }) => target.text)
    const isCopying = COPIES.test(call.name) || PRINTS.test(call.name) || isShell(call.name)
    const reads =
      isCopying &&
      [...texts, ...call.from.flatMap(({ args }) => args.map(({ text }) => text))].some(isTainted)
    if (call.name === 'rm') for (const text of texts) copies.delete(nameOf(text))
    else if (!reads) continue
    for (const text of written) copies.add(nameOf(text))
    if (COPIES.test(call.name))
      for (const text of texts)
        if (!text.startsWith('-') && !isSecret(text) && !(call.name === 'tar' && text === texts[0])) {
          copies.add(nameOf(text))
          for (const suffix of ['.gz', '.xz', '.bz2', '.zst']) copies.add(`${nameOf(text)}${suffix}`)
        }
  }
  return undefined
}

export const SECRETS: readonly Rule[] = [secrets]
