import { afterEach, describe, expect, it, vi } from 'vitest'
import { asHost } from './host.js'

const open = (over = {}) => asHost({ workspaceRoots: [], ...over })

describe('ids', () => {
  afterEach(() => vi.restoreAllMocks())

  it('differ', () => {
    const { random } = open()
    expect(new Set(Array.from({ length: 10_000 }, random)).size).toBe(10_000)
  })

  it('differ between processes that ask at the same moment', () => {
    const { random } = open()
    vi.spyOn(process.hrtime, 'bigint').mockReturnValue(1n)
    expect(new Set(Array.from({ length: 1000 }, random)).size).toBe(1000)
  })

  it('differ when the generator of random numbers repeats itself', () => {
    const { random } = open()
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    expect(new Set(Array.from({ length: 1000 }, random)).size).toBe(1000)
  })
})

describe('options', () => {
  it.each([
    [{ home: 'relative' }, 'expected an absolute folder'],
    [{ home: '' }, 'expected an absolute folder'],
    [{ enterpriseDir: 'relative' }, 'expected an absolute folder'],
    [{ enterpriseDir: '' }, 'expected an absolute folder'],
    [{ profile: 'none' }, 'There is no profile "none"'],
    [{ workspaceRoots: '/project' }, 'expected an array of folders'],
    [{ workspaceRoots: undefined }, 'expected an array of folders'],
    [{ requird: ['team'] }, '"requird" is not an option of openHooks. Did you mean "required"?'],
    [{ required: 'team' }, 'expected an array of enterprise, team'],
    [{ required: ['teams'] }, 'expected an array of enterprise, team'],
    [{ trustAll: 'false' }, '"trustAll" of openHooks is "false"; expected true or false'],
    [{ onAsk: true }, 'expected a function'],
  ])('%j is refused', (over, words) => {
    expect(() => open(over)).toThrow(words)
  })

  it('are needed', () => {
    expect(() => asHost(undefined as never)).toThrow('"workspaceRoots" of openHooks is missing')
  })

  it('trust nothing, and let nobody be asked, unless the host says so', () => {
    expect(open()).toMatchObject({
      trustAll: false,
      required: [],
      plugins: [],
      claude: false,
      onAsk: undefined,
    })
  })

  it('copy the environment', () => {
    const env = { A: '1' }
    const host = open({ env })
    env.A = '2'
    expect(host.env).toEqual({ A: '1' })
  })
})
