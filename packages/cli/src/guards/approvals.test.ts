import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { approve, findRequest, requestApproval, requests, takeApproval } from './approvals.js'
import { whyUnattended } from './attended.js'

const NOW = 1_000_000
const SUBJECT = { guard: 'shell', text: 'rm -rf ../cache', folder: '/w/app' }
const FINDINGS = [{ rule: 'files/delete-tree', reason: 'It deletes a folder outside of the workspace.' }]
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-once-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const request = () => requestApproval(home, SUBJECT, FINDINGS, NOW)!
const approved = () => approve(home, findRequest(home, request(), NOW)!, NOW)

it('an approval lets exactly this command pass in this folder, once', () => {
  approved()
  expect(takeApproval(home, { ...SUBJECT, text: 'rm -rf ../cache2' }, NOW)).toBe(false)
  expect(takeApproval(home, { ...SUBJECT, folder: '/w' }, NOW)).toBe(false)
  expect(takeApproval(home, { ...SUBJECT, guard: 'paths' }, NOW)).toBe(false)
  expect(takeApproval(home, SUBJECT, NOW)).toBe(true)
  expect(takeApproval(home, SUBJECT, NOW)).toBe(false)
})

it('an approval and a request end after ten minutes', () => {
  approved()
  expect(takeApproval(home, SUBJECT, NOW + 600_000)).toBe(false)
  const code = request()
  expect(findRequest(home, code, NOW + 599_999)).toBeDefined()
  expect(findRequest(home, code, NOW + 600_000)).toBeUndefined()
})

it('an approval that claims a longer time does not count', () => {
  approve(home, findRequest(home, request(), NOW)!, NOW + 3_600_000)
  expect(takeApproval(home, SUBJECT, NOW)).toBe(false)
})

it('a denial alone lets nothing pass, and no file holds its code', () => {
  const code = request()
  expect(takeApproval(home, SUBJECT, NOW)).toBe(false)
  const folder = join(home, '.holdfast', 'guards', 'once')
  for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain(code)
  expect(requests(home, NOW)).toMatchObject([SUBJECT])
})

it('a code is read in any case, and wrong codes end all requests', () => {
  const code = request()
  expect(findRequest(home, ` ${code.toLowerCase()} `, NOW)).toBeDefined()
  for (let guess = 0; guess < 5; guess++) expect(findRequest(home, 'AAAAA1', NOW)).toBeUndefined()
  expect(findRequest(home, code, NOW)).toBeUndefined()
})

it('nobody is at a pipe, in the shell of an agent, or below its program', () => {
  const terminal = { stdin: { isTTY: true }, stdout: { isTTY: true } }
  expect(whyUnattended({ stdin: {}, stdout: { isTTY: true } }, {}, 1)).toBe('this is not a terminal')
  expect(whyUnattended({ stdin: { isTTY: true }, stdout: {} }, {}, 1)).toBe('this is not a terminal')
  expect(whyUnattended(terminal, { CLAUDECODE: '1' }, 1)).toContain('CLAUDECODE')
  expect(whyUnattended(terminal, { CURSOR_AGENT: '1' }, 1)).toContain('CURSOR_AGENT')
  expect(whyUnattended(terminal, {}, 1)).toBeUndefined()
})
