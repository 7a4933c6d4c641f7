import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cleanUp, codes, layerOf, sandbox } from './testing/sandbox.js'

cleanUp()

const HOOKS = { hooks: { stop: [{ command: './a.sh' }] } }

const plugin = (manifest?: unknown) => {
  const box = sandbox()
  box.write('plug/a.sh', '', 0o755)
  if (manifest !== undefined) box.write('plug/.cursor-plugin/plugin.json', manifest)
  const folder = box.path('plug')
  return { ...box, folder, load: async () => layerOf(await box.discover({ plugins: [folder] }), 'plugin') }
}

describe('plugins', () => {
  test('the usual place, with or without a manifest', async () => {
    for (const manifest of [undefined, { name: 'x' }]) {
      const box = plugin(manifest)
      const file = box.write('plug/hooks/hooks.json', HOOKS)
      const layer = await box.load()
      expect(layer).toMatchObject({ state: 'loaded', issues: [], source: { file, plugin: box.folder } })
      expect(layer.hooks).toMatchObject([
        {
          source: 'plugin',
          rank: 7,
          cwd: box.folder,
          root: box.path('project'),
          plugin: box.folder,
          trusted: true,
        },
      ])
    }
  })

  test('a plugin without hooks', async () => {
    expect(await plugin({}).load()).toMatchObject({ state: 'absent', hooks: [], issues: [] })
  })

  test('a path in the manifest replaces the usual place', async () => {
    const box = plugin({ hooks: './config/my-hooks.json' })
    box.write('plug/hooks/hooks.json', { hooks: { stop: [{ command: 'other' }] } })
    const file = box.write('plug/config/my-hooks.json', HOOKS)
    const layer = await box.load()
    expect(layer.hooks.map(hook => [hook.command, hook.file])).toEqual([['./a.sh', file]])
  })

  test('hooks inside the manifest, with and without their frame', async () => {
    for (const hooks of [HOOKS, HOOKS.hooks]) {
      const layer = await plugin({ hooks }).load()
      expect(layer).toMatchObject({ state: 'loaded', issues: [] })
      expect(layer.hooks.map(hook => hook.command)).toEqual(['./a.sh'])
    }
  })

  test.each(['../hooks.json', '/etc/hooks.json', 'link/hooks.json', 'none.json', '.', '../back/own.json'])(
    'the path %s is refused',
    async hooks => {
      const box = plugin({ hooks })
      box.write('hooks.json', HOOKS)
      mkdirSync(box.path('outside'))
      box.write('outside/hooks.json', HOOKS)
      symlinkSync('../outside', box.path('plug/link'))
      box.write('plug/own.json', HOOKS)
      symlinkSync('plug', box.path('back'))
      const layer = await box.load()
      expect(layer).toMatchObject({ state: 'failed', hooks: [] })
      expect(codes(layer.issues)).toEqual(['config/bad-plugin'])
    },
  )

  test('the usual place may not lead outside either', async () => {
    const box = plugin({})
    box.write('outside/hooks.json', HOOKS)
    symlinkSync('../outside', box.path('plug/hooks'))
    expect(codes((await box.load()).issues)).toEqual(['config/bad-plugin'])
  })

  test.each(['{', '[]', { hooks: 3 }, { hooks: ['a'] }])('the manifest %j is bad', async manifest => {
    const layer = await plugin(manifest).load()
    expect(layer.state).toBe('failed')
    expect(codes(layer.issues)).toEqual(['config/bad-plugin'])
  })

  test('a folder that does not exist is reported', async () => {
    const box = sandbox()
    const layer = layerOf(await box.discover({ plugins: [box.path('none')] }), 'plugin')
    expect(codes(layer.issues)).toEqual(['config/bad-plugin'])
  })

  test('variables of the plugin lead to its scripts', async () => {
    const box = plugin({
      hooks: { stop: [{ command: '"${CURSOR_PLUGIN_ROOT}/a.sh"' }, { command: '$CLAUDE_PLUGIN_ROOT/b.sh' }] },
    })
    const layer = await box.load()
    expect(layer.hooks[0]?.scripts[0]?.path).toBe(box.path('plug/a.sh'))
    expect(layer.hooks[1]?.scripts).toEqual([])
  })

  test('given twice, it counts once', async () => {
    const box = plugin({ hooks: HOOKS })
    symlinkSync('plug', box.path('again'))
    const catalog = await box.discover({ plugins: [box.folder, box.path('again'), box.folder] })
    expect(catalog.byEvent.get('stop')).toHaveLength(1)
  })
})
