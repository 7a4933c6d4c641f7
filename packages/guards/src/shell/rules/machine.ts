// The machine itself: disks, processes, users, firewalls, packages of the system.

import { finding, type Rule } from '../finding.js'
import { type Row, ruleOf } from './table.js'

const DEVICE =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|loop|sr|sg|ram|zd|mem|kmem|port|block\/)|^\/proc\/sysrq-trigger$/

const ERASES = 'It formats or erases a disk.'
const PARTITIONS = 'It changes partitions.'
const VOLUME = 'It removes a volume.'
const SHOWS = /(?:^| )(?:--help|--longhelp|--version|--test|--no-act|--dry-run|-V)(?: |$)/

const DISKS: readonly Row[] = [
  {
    programs:
      'mkfs mke2fs mkswap wipefs blkdiscard sfdisk sgdisk gdisk hdparm nwipe fdisk cfdisk parted cryptsetup lvremove lvreduce vgremove vgreduce pvremove lvm zpool zfs btrfs mdadm dmsetup nvme diskutil format format.com badblocks tune2fs xfs_repair resize2fs',
    safe: SHOWS,
  },
  { programs: 'mke2fs badblocks wipefs', safe: /(?:^| )(?:-\w*n\w*|--no-act)(?: |$)/ },
  { programs: 'mkswap mke2fs blkdiscard nwipe format.com', deny: /(?:^| )[^-\s]/, does: ERASES },
  { programs: 'wipefs', deny: /(?:^| )(?:-\w*[ao]\w*|--all|--offset\S*)(?: |$)/, does: ERASES },
  {
    programs: 'sfdisk',
    deny: /^(?!.*(?:^| )(?:-\w*[lds]\w*|--list|--dump|--show-size|--verify)(?: |$)).*\//,
    does: PARTITIONS,
  },
  {
    programs: 'sgdisk',
    deny: /(?:^| )(?:-\w*[odnZztcg]|--(?:clear|delete|new|zap|zap-all|mbrtogpt))/,
    does: PARTITIONS,
  },
  { programs: 'gdisk fdisk cfdisk', deny: /^(?!.*(?:^| )(?:-\w*l\w*|--list)(?: |$)).*\//, does: PARTITIONS },
  { programs: 'parted', deny: /\b(?:mklabel|mktable|mkpart|rm|resizepart|rescue)\b/, does: PARTITIONS },
  { programs: 'hdparm', deny: /--(?:security-erase|trim|make-bad-sector|write-sector)/, does: ERASES },
  { programs: 'badblocks', deny: /(?:^| )-\w*w/, does: ERASES },
  {
    programs: 'cryptsetup',
    deny: /\b(?:luksFormat|luksErase|erase|luksKillSlot|luksRemoveKey|luksChangeKey|reencrypt)\b/i,
    does: 'It erases an encrypted disk.',
  },
  {
    programs: 'lvremove lvreduce vgremove vgreduce pvremove',
    safe: /^(?:-h|-t|)$|(?:^| )(?:-t|-h)(?: |$)/,
    deny: /./,
    does: VOLUME,
  },
  { programs: 'lvm', deny: /\b(?:lv|vg|pv)(?:remove|reduce)\b/, does: VOLUME },
  {
    programs: 'zpool',
    deny: /^(?:destroy|labelclear|remove|detach|offline|split)\b/,
    does: 'It destroys a pool.',
  },
  {
    programs: 'zfs',
    safe: /^destroy\b.* -\w*n/,
    deny: /^(?:destroy|rollback)\b/,
    does: 'It destroys a file system or its changes.',
  },
  { programs: 'btrfs', deny: /^(?:sub\w* delete|dev\w* (?:delete|remove))/, does: 'It deletes a subvolume.' },
  {
    programs: 'mdadm',
    deny: /--(?:zero-superblock|stop|remove|fail)\b|(?:^| )-\w*[Srf](?: |$)/,
    does: 'It dismantles a disk array.',
  },
  { programs: 'dmsetup', deny: /^(?:remove|remove_all|wipe_table|clear)\b/, does: 'It removes a device.' },
  { programs: 'nvme', deny: /^(?:format|sanitize|delete-ns|write-zeroes|dsm)\b/, does: ERASES },
  {
    programs: 'diskutil',
    deny: /^(?:erase|partitiondisk|secureerase|zerodisk|randomdisk|apfs delete|reformat)/i,
    does: ERASES,
  },
  { programs: 'format', deny: /^[a-z]:/i, does: ERASES },
  {
    programs: 'format-volume clear-disk initialize-disk remove-partition',
    deny: /^(?!.*-whatif)./i,
    does: ERASES,
  },
  { programs: 'diskpart', deny: /\b(?:clean|format|delete)\b/i, ask: /(?:^| )[/-]s/i, does: ERASES },
]

/** Writing to a device, by whatever program. */
const devices: Rule = subject => {
  const { name, texts, operands } = subject
  const bad = (does: string) => finding('disk/destroy', does)
  for (const { operator, target } of subject.call.redirects)
    if (/>/.test(operator) && DEVICE.test(target.text)) return bad('It overwrites a disk.')
  if (name === 'dd' || name === 'dcfldd' || name === 'ddrescue') {
    const target =
      name === 'ddrescue' ? operands[1]?.text : texts.find(text => text.startsWith('of='))?.slice(3)
    if (target && DEVICE.test(target)) return bad('It overwrites a disk.')
    return target && /^(?:system|root)$/.test(subject.zone({ text: target, isKnown: true }))
      ? bad('It overwrites a system file.')
      : undefined
  }
  if (/^(?:mkfs(?:\.\w+)?|newfs\w*)$/.test(name)) {
    // `-N` of xfs and `-n` of ext only show; for FAT `-n` is the name of the volume.
    const isDry = texts.includes('-N') || (texts.includes('-n') && !/(?:fat|msdos|ntfs)$/.test(name))
    const isImage = operands.every(word => /^(?:inside|temporary)$/.test(subject.zone(word)))
    return isImage || isDry || SHOWS.test(texts.join(' ')) ? undefined : bad(ERASES)
  }
  if (/^(?:cp|tee|shred|mv|install|sponge)$/.test(name) && DEVICE.test(operands.at(-1)?.text ?? ''))
    return bad('It overwrites a disk.')
  return /^(?:tee|shred)$/.test(name) && operands.some(({ text }) => DEVICE.test(text))
    ? bad('It overwrites a disk.')
    : undefined
}

const ESSENTIAL =
  '(?:libc6|glibc|systemd|bash|coreutils|linux-image\\S*|sudo|python3|openssh-server|\\*)(?: |$)'
const FIREWALL = 'It removes firewall rules.'
const MACHINES: readonly Row[] = [
  {
    programs: 'kill',
    deny: /^(?!-l).*(?:^| )(?:-\S+ |-s \S+ |-n \S+ )+(?:-- )?(?:-1|1)$|^1$/,
    does: 'It ends all processes of the user.',
  },
  { programs: 'killall5', deny: /^/, does: 'It ends all processes.' },
  {
    programs: 'pkill killall',
    deny: /(?:^| )(?:\.|\.\*|\^|-u root)(?: |$)/,
    does: 'It ends processes indiscriminately.',
  },
  {
    programs: 'pkill killall',
    ask: /(?:^| )(?:systemd|init|sshd|dockerd|containerd|launchd|Xorg|gnome-shell)(?: |$)/,
    does: 'It ends a service that the session needs.',
  },
  {
    programs: 'shutdown reboot halt poweroff telinit',
    safe: /(?:^| )(?:-c|--help|-k|--show)(?: |$)/,
    deny: /^/,
    does: 'It stops the machine.',
  },
  { programs: 'stop-computer restart-computer', deny: /^(?!.*-whatif)/i, does: 'It stops the machine.' },
  { programs: 'init', deny: /^[016](?: |$)/, does: 'It stops the machine.' },
  {
    programs: 'systemctl',
    deny: /^(?:-\S+ )*(?:reboot|poweroff|halt|kexec|rescue|emergency|isolate|soft-reboot)\b/,
    does: 'It stops the machine.',
  },
  {
    programs: 'crontab',
    deny: /^(?:-u \S+ |-[a-qs-z]+ )*-\w*r\w*(?: |$)/,
    does: 'It deletes all scheduled jobs.',
  },
  {
    programs: 'userdel deluser groupdel delgroup',
    deny: /(?:^| )[^-\s]/,
    does: 'It deletes a user or a group.',
  },
  {
    programs: 'iptables ip6tables',
    deny: /(?:^| )(?:-[FXZ]|--flush|--delete-chain|-P \w+ (?:ACCEPT|DROP))(?: |$)/,
    does: FIREWALL,
  },
  { programs: 'nft', deny: /flush ruleset|delete table|flush table/, does: FIREWALL },
  { programs: 'ufw', deny: /^(?:--force )?(?:disable|reset)\b/, does: 'It turns off the firewall.' },
  { programs: 'firewall-cmd', ask: /--panic-on|--remove-\w+/, does: FIREWALL },
  {
    programs: 'umount',
    deny: /(?:^| )(?:-\w*[aA]\w*|--all\S*|\/(?:usr|var|home|boot|etc|proc|sys|dev|run)?\/?)(?: |$)/,
    does: 'It unmounts file systems that the machine needs.',
  },
  {
    programs: 'mount',
    deny: /(?:remount|--?bind|--move|--rbind|-B\b|tmpfs|overlay).* \/(?:(?:bin|boot|dev|etc|home|lib\w*|proc|root|sbin|sys|usr|var)(?:\/\S*)?)?$/,
    ask: /remount/,
    does: 'It changes file systems that the machine needs.',
  },
  {
    programs: 'rpm dpkg',
    deny: new RegExp(`(?:^| )(?:-[eErP]|--erase|--purge|--remove)\\b.*\\b${ESSENTIAL}`),
    does: 'It removes packages that the system needs.',
  },
  {
    programs: 'passwd',
    deny: /(?:^| )(?:-d|--delete)(?: |$)/,
    does: 'It removes the password of a user.',
  },
  {
    programs: 'usermod gpasswd adduser',
    ask: /\b(?:sudo|wheel|root|docker|admin)\b/,
    does: 'It gives a user administrator rights.',
  },
  { programs: 'setenforce', deny: /^(?:0|permissive)$/i, does: 'It turns off SELinux.' },
  { programs: 'vssadmin wmic wbadmin', deny: /\bdelete\b/i, does: 'It deletes Windows backups.' },
  { programs: 'bcdedit', deny: /\/(?:set|delete)/i, does: 'It changes how Windows starts.' },
  {
    programs: 'reg',
    deny: /^delete\b.*(?:hklm|hkey_local_machine|hkcr|\/f)/i,
    does: 'It deletes Windows settings.',
  },
  { programs: 'cipher', deny: /^\/w/i, does: 'It makes deleted files unrecoverable.' },
  {
    programs: 'set-mppreference',
    deny: /-disable\w+ (?:\$?true|1)/i,
    does: 'It turns off Windows protection.',
  },
  {
    programs: 'apt apt-get aptitude dnf yum pacman apk zypper brew',
    deny: new RegExp(`\\b(?:purge|remove|autoremove|erase|-R\\w*|del|uninstall)\\b.*\\b${ESSENTIAL}`),
    does: 'It removes packages that the system needs.',
  },
]

const kernel: Rule = ({ name, texts }) =>
  name === 'sysctl' &&
  texts.some(text => /^kernel\.(?:sysrq|panic|core_pattern|modprobe)|^vm\.panic/.test(text))
    ? finding('system/change', 'It changes the running kernel.', 'ask')
    : undefined

export const DISK: readonly Rule[] = [ruleOf('disk/destroy', DISKS), devices]
export const SYSTEM: readonly Rule[] = [ruleOf('system/change', MACHINES), kernel]
