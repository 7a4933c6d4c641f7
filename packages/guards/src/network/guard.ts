// Hosts that commands and tools contact: known ones pass, others ask.

import { type Finding, findingOf, fitsAny, type Guard, type Judgement, listOf } from '../guard.js'
import { commandOf, inputOf, mcpOf } from '../payload.js'
import { isShell, UNKNOWN } from '../shell/call.js'
import { readCommand } from '../shell/index.js'

const ALTERNATIVES = {
  'network/host':
    'Use a known host, such as `curl https://registry.npmjs.org/express`, or let the user add this one to "allow".',
  'network/address': 'Use the name of a host instead of its number: `curl https://registry.npmjs.org`.',
} as const
const finding = findingOf(ALTERNATIVES)

const KNOWN =
  'localhost *.localhost ::1 0.0.0.0 host.docker.internal github.com *.github.com *.githubusercontent.com gitlab.com *.gitlab.com bitbucket.org registry.npmjs.org registry.yarnpkg.com npmjs.com www.npmjs.com jsr.io npm.jsr.io pypi.org files.pythonhosted.org crates.io *.crates.io docs.rs proxy.golang.org sum.golang.org pkg.go.dev go.dev golang.org rubygems.org *.rubygems.org repo.maven.apache.org repo1.maven.org packagist.org *.packagist.org deb.debian.org *.ubuntu.com dl-cdn.alpinelinux.org nodejs.org deno.land docker.io *.docker.io registry-1.docker.io ghcr.io quay.io mcr.microsoft.com formulae.brew.sh developer.mozilla.org stackoverflow.com docs.python.org example.com *.example.com example.org'.split(
    ' ',
  )

const CLIENTS =
  /^(?:curl|wget|http|https|xh|fetch|aria2c|axel|lynx|w3m|links|git|ssh|scp|sftp|rsync|mosh|nc|ncat|netcat|telnet|socat|ftp|lftp|dig|nslookup|host|ping|nmap|openssl|pip\d?|npm|pnpm|yarn|bun|cargo|go|gem|docker|podman|iwr|irm|invoke-webrequest|websocat|grpcurl|psql|mysql|redis-cli|mongosh)$/
/** Their operand is a host, also without `://`. */
const NAMED =
  /^(?:curl|wget|http|https|xh|ssh|mosh|nc|ncat|netcat|telnet|ping|nmap|dig|nslookup|host|ftp|sftp)$/
/** A word that is a host: its last part is a top-level domain, not the end of a file name; or a number. */
const HOST =
  /^(?:[\w-]+@)?((?:[\p{L}\d-]+\.)+\p{L}{2,24}|\d{1,3}(?:\.\d{1,3}){3}|\d{8,10}|0x[\da-f]{8}|localhost)(?::\d+)?(?:[/?#]|$)/iu
const FILE_END =
  /\.(?:json|ya?ml|txt|md|sh|js|ts|py|html?|xml|csv|log|tgz|gz|zip|tar|pem|key|crt|sql|conf|toml|lock)$/i
/** Their first operand is a host, also without a dot. */
const FIRST = /^(?:ssh|mosh|telnet|ping|ftp|sftp|nc|ncat|netcat)$/
const FIRST_VALUED = /^-[BbcDEeFIiJLlmOopQRSWwqXxsT]$/
/** Code with addresses in it. */
const INTERPRETERS = /^(?:python[\d.]*|node|deno|bun|perl|ruby|php)$/

export const network: Guard = {
  name: 'network',
  summary: 'hosts that are contacted: known ones pass, others ask',
  options: {
    allow: { type: 'list', about: 'further hosts that pass; * is any text', default: [] },
    deny: { type: 'list', about: 'hosts that are denied', default: [] },
    known: { type: 'switch', about: 'let registries, code hosts and this machine pass', default: true },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options): Judgement {
    const hosts = new Set<string>()
    const command = commandOf(payload)
    const read = command === undefined ? undefined : hostsOfCommand(command)
    for (const host of read?.hosts ?? []) hosts.add(host)
    const mcp = mcpOf(payload)
    const urls = Object.entries(inputOf(payload)).flatMap(([key, value]) =>
      /^(?:ur[li]s?|href|address|endpoint)$/i.test(key) ? value : [],
    )
    for (const text of [...urls, mcp?.address]) {
      const host = typeof text === 'string' ? hostOfUrl(text) : undefined
      if (host !== undefined) hosts.add(host)
    }
    const allowed = [...listOf(options, 'allow'), ...(options.known === false ? [] : KNOWN)]
    const findings: Finding[] = []
    for (const host of hosts) {
      if (fitsAny(listOf(options, 'deny'), host))
        findings.push(finding('network/host', `${host} is denied by the options.`))
      else if (host.includes(UNKNOWN))
        findings.push(finding('network/host', 'It contacts a host that is known only when it runs.', 'ask'))
      else if (fitsAny(allowed, host) || (options.known !== false && /^127(?:\.\d+){3}$/.test(host))) continue
      else if (/^[\d.]+$|:/.test(host))
        findings.push(finding('network/address', `It contacts the address ${host}.`, 'ask'))
      else findings.push(finding('network/host', `It contacts ${host}, which is not a known host.`, 'ask'))
    }
    return { findings, unknown: read?.unknown ?? [] }
  },
}

/** Options with a file of addresses, or that send elsewhere what is meant for a host. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-K|--conf|--connect-to|--resolve|--unix-socket|--abstract-unix-socket|--doh-url|--dns)/,
  wget: /^(?:-i|--inp|-e$|--exe|--conf)/,
  aria2c: /^(?:-i|--input-file|--conf-path)/,
}

/** The hosts that a command names, and what is not known before it runs. */
function hostsOfCommand(command: string): { hosts: string[]; unknown: string[] } {
  const found: (string | undefined)[] = []
  const { calls, unknown: notUnderstood } = readCommand(command, { cwd: '/', home: '/root' })
  const unknown = new Set(notUnderstood)
  for (const { name, args, assignments, redirects, from, input } of calls) {
    if (isShell(name) && from.length > 0 && input === undefined) unknown.add(`what ${name} reads`)
    for (const { target } of redirects) found.push(/^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(target.text)?.[1])
    const texts = args.map(({ text }) => text)
    if (INTERPRETERS.test(name))
      for (const [address] of texts.join(' ').matchAll(/\b(?:https?|wss?):\/\/[^\s'"`)]+/g))
        found.push(hostOfUrl(address))
    if (!CLIENTS.test(name)) continue
    if (texts.some(text => ELSEWHERE[name]?.test(text))) unknown.add(`where ${name} connects to`)
    for (const text of assignments) {
      const [, proxy] = /^\w*_proxy=(.+)$/is.exec(text) ?? []
      if (proxy) found.push(hostOfUrl(proxy) ?? hostOfWord(proxy))
    }
    if (FIRST.test(name) && !texts.includes('-l')) {
      const first = texts.find(
        (text, index) => !text.startsWith('-') && !FIRST_VALUED.test(texts[index - 1] ?? ''),
      )
      if (first !== undefined) found.push(hostOfUrl(first) ?? first.replace(/^.*@/, '').replace(/:\d*$/, ''))
    }
    for (const text of texts)
      found.push(
        hostOfUrl(text.replace(/^(?:git\+|--\w[\w-]*=)/, '')) ??
          /^(?:[\w.-]+@)?([\w.-]+\.[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}):[^\\]/i.exec(text)?.[1] ??
          (/^(?:scp|rsync)$/.test(name) ? /^(?:[\w.-]+@)?([\w.-]{2,}):/.exec(text)?.[1] : undefined) ??
          (NAMED.test(name) && !text.startsWith('-') && !FILE_END.test(text) ? hostOfWord(text) : undefined),
      )
  }
  return { hosts: found.flatMap(host => (host ? [host.toLowerCase()] : [])), unknown: [...unknown] }
}

/** A word without a scheme: `example.com/x`, `3232235777`, `$HOST/x`. */
function hostOfWord(text: string): string | undefined {
  if (text.startsWith(UNKNOWN)) return UNKNOWN
  const [, host] = HOST.exec(text) ?? []
  return host === undefined ? undefined : (hostOfUrl(`http://${host}`) ?? host)
}

function hostOfUrl(text: string): string | undefined {
  if (!/^(?:https?|wss?|ftp|ssh|git|postgres(?:ql)?|mysql|redis|mongodb(?:\+srv)?|amqp):\/\//i.test(text))
    return undefined
  if (/^\w+:\/\/(?:[^/@]*@)?[^/]*\0/.test(text)) return UNKNOWN
  try {
    return new URL(text.replace(/\0[\uE000-\uE0FF]?/g, 'x')).hostname.replace(/^\[|\]$/g, '').toLowerCase()
  } catch {
    return UNKNOWN
  }
}
