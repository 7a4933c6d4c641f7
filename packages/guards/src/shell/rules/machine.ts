// The machine itself: disks, processes, users, firewalls, and code that comes from elsewhere.

import { type Call, isShell } from '../call.js'
import { type Finding, finding, type Rule, type Subject } from '../finding.js'
import { secretOf } from '../paths.js'

const DEVICE =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|loop|sr|sg|ram|zd|mem|kmem|port)/

const disk: Rule = subject => {
  const { name, texts, operands } = subject
  const isHelp = subject.has('', 'help', 'longhelp', 'version', 'test', 'no-act', 'dry-run')
  if (isHelp || (subject.has('h') && name.startsWith('lv'))) return undefined
  if (subject.has('n') && /^(?:mkfs|mke2fs|badblocks|wipefs)/.test(name)) return undefined
  const bad = (reason: string) => finding('disk/destroy', reason, 'Ask the user to do this.')
  if (name === 'dd') {
    const target = texts.find(text => text.startsWith('of='))?.slice(3)
    if (target && DEVICE.test(target)) return bad('It overwrites a disk.')
    if (target && /^(?:system|root)$/.test(subject.zone({ text: target, isKnown: true })))
      return bad('It overwrites a file of the system.')
    return undefined
  }
  for (const { operator, target } of subject.call.redirects)
    if (/>/.test(operator) && DEVICE.test(target.text)) return bad('It overwrites a disk.')
  if (
    /^(?:cp|tee|cat|shred|badblocks|pv)$/.test(name) &&
    operands.some(({ text }) => DEVICE.test(text)) &&
    !(name === 'cat' || name === 'pv')
  )
    return operands.at(-1) && (name === 'cp' ? DEVICE.test(operands.at(-1)!.text) : true)
      ? bad('It overwrites a disk.')
      : undefined
  if (
    /^(?:mkfs(?:\.\w+)?|mke2fs|newfs\w*|mkswap|wipefs|blkdiscard|sfdisk|sgdisk|gdisk|hdparm|nwipe|format\.com)$/.test(
      name,
    )
  ) {
    const isReading =
      subject.has('l', 'list') ||
      (name === 'wipefs' && !subject.has('ao', 'all', 'offset')) ||
      (name === 'hdparm' && !/--(?:security-erase|trim)/.test(texts.join(' '))) ||
      (name === 'sgdisk' && subject.has('p', 'print'))
    return isReading || operands.length === 0 ? undefined : bad('It formats or erases a disk.')
  }
  if (name === 'format' && /^[a-z]:$/i.test(texts[0] ?? '')) return bad('It formats a disk.')
  const joined = operands.map(({ text }) => text).join(' ')
  if (name === 'fdisk' || name === 'cfdisk')
    return subject.has('l', 'list') || operands.length === 0 ? undefined : bad('It changes partitions.')
  if (name === 'parted')
    return /\b(?:mklabel|mktable|mkpart|rm|resizepart|rescue)\b/.test(joined)
      ? bad('It changes partitions.')
      : undefined
  if (name === 'cryptsetup')
    return /\b(?:luksFormat|luksErase|erase|luksKillSlot|luksRemoveKey|reencrypt)\b/i.test(joined)
      ? bad('It erases an encrypted disk.')
      : undefined
  if (/^(?:lv|vg|pv)(?:remove|reduce)$/.test(name)) return bad('It removes a volume.')
  if (name === 'lvm')
    return /\b(?:lv|vg|pv)(?:remove|reduce)\b/.test(joined) ? bad('It removes a volume.') : undefined
  if (name === 'zpool' || name === 'zfs')
    return /^(?:destroy|labelclear|rollback)\b/.test(joined)
      ? bad('It destroys a pool or a file system.')
      : undefined
  if (name === 'btrfs')
    return /^(?:subvolume delete|device (?:delete|remove))/.test(joined)
      ? bad('It deletes a subvolume.')
      : undefined
  if (name === 'mdadm')
    return subject.has('', 'zero-superblock', 'stop', 'remove', 'fail')
      ? bad('It takes a disk array apart.')
      : undefined
  if (name === 'dmsetup')
    return /^(?:remove|wipe_table|clear)/.test(joined) ? bad('It removes a device.') : undefined
  if (name === 'nvme')
    return /^(?:format|sanitize|delete-ns)/.test(joined) ? bad('It erases a disk.') : undefined
  if (name === 'diskutil')
    return /^(?:erase|partitiondisk|secureerase|zerodisk|randomdisk|apfs delete|reformat)/i.test(joined)
      ? bad('It erases a disk.')
      : undefined
  return undefined
}

const system: Rule = subject => {
  const { name, texts, operands } = subject
  const ask = (reason: string) => finding('system/change', reason, 'Ask the user to do this.')
  const joined = texts.join(' ')
  if (subject.has('', 'help', 'version')) return undefined
  switch (name) {
    case 'kill':
      return /(?:^| )(?:-9|-KILL|-SIGKILL|-s (?:KILL|9)|-s SIGKILL)? ?(?:--? )?-1$/.test(joined) &&
        /-1$/.test(joined) &&
        texts.length > 1
        ? ask('It ends all processes of the user.')
        : texts.includes('1') && operands.some(({ text }) => text === '1')
          ? ask('It ends the first process of the system.')
          : undefined
    case 'killall5':
      return ask('It ends all processes.')
    case 'pkill':
      return /(?:^| )(?:\.|\.\*|-u root)(?: |$)/.test(joined)
        ? ask('It ends processes without distinction.')
        : undefined
    case 'shutdown':
    case 'reboot':
    case 'halt':
    case 'poweroff':
    case 'telinit':
      return /(?:^| )-c(?: |$)/.test(joined) ? undefined : ask('It stops the machine.')
    case 'init':
      return /^[06]$/.test(texts[0] ?? '') ? ask('It stops the machine.') : undefined
    case 'systemctl':
      return /^(?:reboot|poweroff|halt|kexec|rescue|emergency|isolate)\b/.test(joined)
        ? ask('It stops the machine.')
        : undefined
    case 'crontab':
      return subject.has('r') ? ask('It deletes all scheduled jobs.') : undefined
    case 'userdel':
    case 'deluser':
    case 'groupdel':
      return ask('It deletes a user or a group.')
    case 'iptables':
    case 'ip6tables':
      return subject.has('FX', 'flush') ? ask('It removes firewall rules.') : undefined
    case 'nft':
      return /flush ruleset|delete table/.test(joined) ? ask('It removes firewall rules.') : undefined
    case 'ufw':
      return /^(?:disable|reset|--force reset)/.test(joined) ? ask('It turns the firewall off.') : undefined
    case 'setenforce':
      return texts[0] === '0' ? ask('It turns SELinux off.') : undefined
    case 'apt':
    case 'apt-get':
    case 'dnf':
    case 'yum':
    case 'pacman':
    case 'apk':
      return /\b(?:purge|remove|autoremove|erase|-R\w*|del)\b.*\b(?:libc6|glibc|systemd|bash|coreutils|linux-image\S*|sudo|python3|\*)(?: |$)/.test(
        joined,
      )
        ? ask('It removes packages that the system needs.')
        : undefined
    default:
      return undefined
  }
}

const DOWNLOADS =
  /^(?:curl|wget|fetch|aria2c|http|https|xh|lwp-request|iwr|invoke-webrequest|irm|ftp|scp|nc|ncat|netcat)$/
const isDownload = ({ name, args }: Call): boolean =>
  DOWNLOADS.test(name) && !args.some(({ text }) => /^file:|^--offline$/.test(text))
const DECODES = /^(?:base64|base32|xxd|openssl|uudecode|gunzip|zcat|gzip|rev|tr|od|hexdump|bzcat|xzcat)$/
const RUNS =
  /^(?:python[\d.]*|node(?:js)?|perl|ruby|php|lua|bun|deno|iex|invoke-expression|osascript|source|\.)$/

const isDecoding = ({ name, args }: Call): boolean => {
  const joined = args.map(({ text }) => text).join(' ')
  if (name === 'base64' || name === 'base32') return /(?:^| )-\w*[dD]|--decode/.test(joined)
  if (name === 'xxd') return /-\w*r/.test(joined)
  if (name === 'openssl') return /(?:enc|base64).*-d/.test(joined)
  return DECODES.test(name) && name !== 'od' && name !== 'hexdump'
}

const execution: Rule = subject => {
  const { name, call, texts } = subject
  const runsInput =
    (isShell(name) || RUNS.test(name)) &&
    !texts.some(text => /^(?:-[a-z]*[ce]|-m)$/.test(text)) &&
    subject.operands.filter(({ text }) => !/^(?:-|\/dev\/(?:stdin|fd\/\d+)|-s)$/.test(text)).length <=
      (texts.includes('-s') ? 99 : 0)
  if (runsInput && call.input === undefined) {
    if (call.from.some(isDownload))
      return finding(
        'execution/remote',
        'It runs code from the network that nobody has read.',
        'Download it into a file, read it, then run the file.',
      )
    if (call.from.some(isDecoding))
      return finding(
        'execution/decoded',
        'It runs code that was encoded.',
        'Decode it into a file, read it, then run the file.',
      )
  }
  if (runsInput && texts.some(text => text.startsWith('/dev/fd/')) && call.args.length > 0)
    return finding(
      'execution/remote',
      'It runs the output of another program.',
      'Write it into a file, read it, then run the file.',
    )
  const joined = texts.join(' ')
  const targets = call.redirects.map(({ target }) => target.text).join(' ')
  if (
    /\/dev\/(?:tcp|udp)\//.test(`${joined} ${targets}`) &&
    (name === 'exec' ||
      isShell(name) ||
      (call.redirects.some(({ operator }) => operator !== '<') &&
        !/^(?:echo|printf|:|timeout|true)$/.test(name)))
  )
    return finding('execution/network-shell', 'It connects a shell to the network.', undefined)
  if (
    /^(?:nc|ncat|netcat)$/.test(name) &&
    (subject.has('ec', 'exec', 'sh-exec') || call.from.some(source => isShell(source.name)))
  )
    return finding('execution/network-shell', 'It connects a shell to the network.', undefined)
  if (isShell(name) && call.from.some(source => /^(?:nc|ncat|netcat|telnet|socat)$/.test(source.name)))
    return finding('execution/network-shell', 'It connects a shell to the network.', undefined)
  if (name === 'socat' && /(?:exec|system):/i.test(joined))
    return finding('execution/network-shell', 'It connects a program to the network.', undefined)
  if (name === 'insmod' || name === 'modprobe' || name === 'rmmod')
    return finding('execution/kernel', 'It changes the kernel.', undefined, 'ask')
  return undefined
}

const SENDS =
  /^(?:curl|wget|http|https|xh|nc|ncat|netcat|scp|rsync|sftp|ftp|telnet|socat|mail|mailx|sendmail|mutt|aws|gsutil|rclone|gh|glab|ssh|dig|nslookup|host|tftp)$/
const READS =
  /^(?:cat|less|more|head|tail|tac|nl|bat|batcat|strings|xxd|od|hexdump|base64|base32|grep|rg|egrep|fgrep|awk|sed|cut|sort|uniq|cp|tar|zip|gzip|openssl|gpg|dd|tee|mv|code|vim?|nano|python[\d.]*|node|ruby|perl|source|\.|type|get-content|gc|paste|fold|rev|diff|cmp|jq|yq|xargs|install|ln|scp|rsync|curl|wget)$/

const readsSecret = (call: Call): boolean =>
  call.args.some(({ text }) => secretOf(text.replace(/^[^@=]*[@=]/, '')) || secretOf(text)) ||
  call.redirects.some(({ operator, target }) => operator === '<' && secretOf(target.text)) ||
  (/^(?:env|printenv|set)$/.test(call.name) && call.args.length === 0)

const secrets: Rule = subject => {
  const { name, call, texts } = subject
  const carries = [call, ...call.from].some(
    one =>
      one.args.some(({ text }) => secretOf(text.replace(/^.*?[@=]/, '')) || secretOf(text)) ||
      readsSecret(one),
  )
  const archives = call.from.some(
    source =>
      /^(?:tar|zip|7z|bsdtar|cpio|git)$/.test(source.name) &&
      (source.name !== 'git' || source.args[0]?.text === 'archive'),
  )
  if (SENDS.test(name) && archives && !call.args.some(({ text }) => /localhost|127\.0\.0\.1/.test(text)))
    return finding(
      'secrets/send-archive',
      'It sends an archive of files to another machine.',
      'Ask the user to send it.',
    )
  if (
    SENDS.test(name) &&
    carries &&
    !(name === 'ssh' && texts.includes('-i')) &&
    !(name === 'scp' && texts.includes('-i'))
  )
    return finding('secrets/send', 'It sends credentials to another machine.', undefined)
  for (const { text } of [
    ...call.args,
    ...call.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target),
  ]) {
    const secret = secretOf(text)
    if (!secret) continue
    if (
      (READS.test(name) || name === ':') &&
      !(
        name === 'openssl' &&
        /(?:-in|-noout)/.test(texts.join(' ')) &&
        !/rsa|pkey|pkcs12/.test(texts.join(' '))
      )
    )
      return finding(
        'secrets/read',
        secret === 'key'
          ? 'It reads a private key or credentials.'
          : 'It reads a file with secrets of the environment.',
        'Ask the user for what you need.',
        secret === 'key' ? 'deny' : 'ask',
      )
  }
  if (
    name === 'security' &&
    /find-(?:generic|internet)-password.*-w|dump-keychain|export/.test(texts.join(' '))
  )
    return finding('secrets/read', 'It reads passwords of the keychain.', undefined)
  if (name === 'gpg' && /--export-secret/.test(texts.join(' ')))
    return finding('secrets/read', 'It exports private keys.', undefined)
  return undefined
}

/** A download into a file, and then the file is run, whatever it is called by then. */
export function runsDownload(calls: readonly Call[]): Finding | undefined {
  const files = new Set<string>()
  const nameOf = (text: string) => text.replace(/^\.\//, '')
  for (const call of calls) {
    const texts = call.args.map(({ text }) => text)
    const written = call.redirects
      .filter(({ operator }) => /^(?:>|>>|>\||&>)$/.test(operator))
      .map(({ target }) => target.text)
    const isSource =
      isDownload(call) || isDecoding(call) || call.from.some(one => isDownload(one) || isDecoding(one))
    if (isSource) {
      for (const text of written) files.add(nameOf(text))
      if (call.name === 'tee') for (const text of texts) if (!text.startsWith('-')) files.add(nameOf(text))
      for (const [index, text] of texts.entries()) {
        if (/^(?:-o|-O|--output|--output-document)$/.test(text) && texts[index + 1])
          files.add(nameOf(texts[index + 1]!))
        const [, attached] = /^(?:--output|--output-document)=(.+)$/.exec(text) ?? []
        if (attached) files.add(nameOf(attached))
        if (/^(?:-\w*O\w*|--remote-name)$/.test(text) || call.name === 'wget')
          for (const url of texts)
            if (/[:/.]/.test(url)) files.add(url.replace(/[?#].*$/, '').replace(/^.*\//, ''))
      }
      continue
    }
    if (/^(?:mv|cp|ln|install|rename)$/.test(call.name)) {
      const operands = texts.filter(text => !text.startsWith('-'))
      if (operands.slice(0, -1).some(text => files.has(nameOf(text)))) files.add(nameOf(operands.at(-1)!))
    }
    const program = call.path ?? call.name
    const script =
      isShell(call.name) || RUNS.test(call.name) ? texts.find(text => !text.startsWith('-')) : undefined
    if (files.has(nameOf(program)) || (script !== undefined && files.has(nameOf(script))))
      return finding(
        'execution/remote',
        'It runs a file that it downloaded or decoded.',
        'Read the file first, then run it.',
      )
  }
  return undefined
}

export const DISK: readonly Rule[] = [disk]
export const SYSTEM: readonly Rule[] = [system]
export const EXECUTION: readonly Rule[] = [execution]
export const SECRETS: readonly Rule[] = [secrets]
export type { Subject }
