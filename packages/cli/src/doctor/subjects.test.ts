import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../tests/cpu-time.js'
import { literals } from './subjects.js'

describe('texts that a pattern might take', () => {
  it.each([
    'git push',
    '^git push',
    'curl|wget|nc ',
    '^git (push|reset --hard)\\b',
    '^(?:npm|pnpm) (install|add)\\s+\\S?',
    '\\.env$',
    'rm\\s+-rf?',
    '^MCP:github_.*',
    'kubectl\\s+(apply|delete).*prod',
    '^[Dd]eploy',
    'terraform (?!plan)apply',
    'file\\d+',
    '^(?<tool>gh) pr',
  ])('of %s one is taken', pattern => {
    const taken = literals(pattern).filter(text => new RegExp(pattern).test(text))
    expect(taken).not.toEqual([])
  })

  it('are few and take little work, whatever the pattern', () => {
    const evil = [
      '(a|b|c|d)'.repeat(40),
      '('.repeat(5000),
      '|'.repeat(5000),
      '[',
      '\\',
      '(?<!',
      '.*'.repeat(5000),
      '',
    ]
    const work = cpuMs(() => {
      for (const pattern of evil) expect(literals(pattern).length).toBeLessThanOrEqual(20)
    })
    expect(work).toBeLessThan(5000)
  })
})
