import { describe, expect, test } from 'vitest'
import { type LocationOptions, locations } from './locations.js'

const options = (change: Partial<LocationOptions> = {}): LocationOptions => ({
  platform: 'linux',
  home: '/home/me',
  roots: ['/project'],
  claude: false,
  plugins: [],
  pathBase: 'root',
  teams: [],
  ...change,
})
const rows = (change?: Partial<LocationOptions>) =>
  locations(options(change)).map(({ kind, file, cwd }) => [kind, file, cwd])

describe('locations', () => {
  test('Linux', () => {
    expect(rows({ teams: ['7'], claude: true, plugins: ['/plug'] })).toEqual([
      ['enterprise', '/etc/cursor/hooks.json', '/etc/cursor'],
      [
        'team',
        '/home/me/.cursor/managed/team_7/hooks/manifest.json',
        '/home/me/.cursor/managed/team_7/hooks',
      ],
      ['project', '/project/.cursor/hooks.json', '/project'],
      ['user', '/home/me/.cursor/hooks.json', '/home/me/.cursor'],
      ['claude-local', '/project/.claude/settings.local.json', '/project'],
      ['claude-project', '/project/.claude/settings.json', '/project'],
      ['claude-user', '/home/me/.claude/settings.json', '/project'],
      ['plugin', '/plug/.cursor-plugin/plugin.json', '/plug'],
    ])
  })

  test('macOS', () => {
    const folder = '/Library/Application Support/Cursor'
    expect(rows({ platform: 'darwin', home: '/Users/me' })).toEqual([
      ['enterprise', `${folder}/hooks.json`, folder],
      ['project', '/project/.cursor/hooks.json', '/project'],
      ['user', '/Users/me/.cursor/hooks.json', '/Users/me/.cursor'],
    ])
  })

  test('Windows', () => {
    expect(rows({ platform: 'win32', home: 'C:\\Users\\me', roots: ['D:\\work'], teams: ['a'] })).toEqual([
      ['enterprise', 'C:\\ProgramData\\Cursor\\hooks.json', 'C:\\ProgramData\\Cursor'],
      [
        'team',
        'C:\\Users\\me\\.cursor\\managed\\team_a\\hooks\\manifest.json',
        'C:\\Users\\me\\.cursor\\managed\\team_a\\hooks',
      ],
      ['project', 'D:\\work\\.cursor\\hooks.json', 'D:\\work'],
      ['user', 'C:\\Users\\me\\.cursor\\hooks.json', 'C:\\Users\\me\\.cursor'],
    ])
  })

  test('the enterprise folder can be named', () => {
    expect(rows({ enterpriseDir: '/opt/policy' })[0]).toEqual([
      'enterprise',
      '/opt/policy/hooks.json',
      '/opt/policy',
    ])
  })

  test('old versions run project hooks from the folder of hooks.json', () => {
    expect(rows({ pathBase: 'file' })[1]).toEqual([
      'project',
      '/project/.cursor/hooks.json',
      '/project/.cursor',
    ])
  })

  test('several roots, in order', () => {
    const found = locations(options({ roots: ['/b', '/a'], claude: true }))
    expect(found.filter(source => source.root).map(source => [source.kind, source.root])).toEqual([
      ['project', '/b'],
      ['project', '/a'],
      ['claude-local', '/b'],
      ['claude-local', '/a'],
      ['claude-project', '/b'],
      ['claude-project', '/a'],
    ])
  })

  test('without a workspace, hooks of the user run from home', () => {
    expect(rows({ roots: [], claude: true }).at(-1)).toEqual([
      'claude-user',
      '/home/me/.claude/settings.json',
      '/home/me',
    ])
  })

  test('the home folder as a workspace is not a second project', () => {
    expect(rows({ roots: ['/home/me'], claude: true }).map(([kind]) => kind)).toEqual([
      'enterprise',
      'user',
      'claude-local',
      'claude-user',
    ])
  })

  test('one team, or those that were found; never a path', () => {
    const teams = (change: Partial<LocationOptions>) =>
      rows(change).flatMap(([kind, file]) => (kind === 'team' ? [file] : []))
    expect(teams({ teamId: '9', teams: ['1', '2'] })).toEqual([
      '/home/me/.cursor/managed/team_9/hooks/manifest.json',
    ])
    expect(teams({ teams: ['1', '2'] })).toHaveLength(2)
    for (const teamId of ['..', '../x', 'a/b', '', 'a\\b', '.', '-a', 'a\n', 'a\0', 'ä', 'x'.repeat(101)])
      expect(teams({ teamId })).toEqual([])
    for (const teamId of ['a', 'A.b_c-1', 'x'.repeat(100)]) expect(teams({ teamId })).toHaveLength(1)
  })
})
