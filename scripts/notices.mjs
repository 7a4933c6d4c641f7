// The licences of third-party code in the bundles of a package, as their authors require: one file beside the bundles.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root } from './steps.mjs'

const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

export function writeNotices(folder, inputs) {
  const text = noticesOf(inputs)
  if (text !== '') writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), text)
}

/** The notices for these bundled files, empty if none is third-party: paths that are absolute or relative to the repository. */
export function noticesOf(inputs) {
  const packages = new Map()
  for (const input of inputs) {
    const found = packageOf(input)
    if (found) packages.set(`${found.name} ${found.version}`, found)
  }
  const notices = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, found]) => noticeOf(title, found))
  if (notices.length === 0) return ''
  const head = 'Third-party code in the bundles of this folder, with its licences.\n'
  return [head, ...notices].join(`\n${'-'.repeat(80)}\n\n`)
}

/** The package that contains this file; undefined for code of this repository. */
function packageOf(input) {
  const path = input.replace(/^\0/, '').replace(/\?.*$/, '')
  const end = path.lastIndexOf('node_modules/')
  if (end === -1) return undefined
  const [first, second] = path.slice(end + 'node_modules/'.length).split('/')
  const name = first.startsWith('@') ? `${first}/${second}` : first
  const folder = resolve(root, path.slice(0, end), 'node_modules', name)
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { version, license } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { name, version, license, folder }
}

function noticeOf(title, { license, folder }) {
  const files = readdirSync(folder).filter(name => LICENCE.test(name))
  const texts = files.map(name => readFileSync(join(folder, name), 'utf8').trim())
  return `${title} (${license ?? 'see below'})\n\n${texts.join('\n\n') || `Licence: ${license}`}\n`
}
