import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { placeOf } from '@holdfast/hooks/team'
import { expect, it } from 'vitest'
import { openDisk } from './disk.js'
import { storeSet } from './store.js'
import { cleanUp, freshFolder } from './testing/device.js'

cleanUp()

it('a set gets its name after its files and its folder are synced, and the name is synced, too', () => {
  const place = placeOf(freshFolder(), 'acme')
  const steps: string[] = []
  const onStep = (step: string) => {
    const [word = '', path = ''] = step.split(' ')
    steps.push(`${word} ${basename(path)}`)
  }
  const disk = openDisk({ platform: 'linux', random: () => 'x', onStep })
  disk.folder(place.store)
  steps.length = 0
  const files = [{ name: 'a', bytes: Buffer.from('new'), mode: 0o400 }]
  expect(storeSet(place, disk, '1-set', files, 'one')).toBe('1-set')
  expect(steps).toEqual([
    'folder .new-one',
    'sync store',
    'create a',
    'sync a',
    'sync .new-one',
    'move 1-set',
    'sync store',
  ])
  // A set that exists under this name is damaged. It stays, as a process may still read it.
  expect(storeSet(place, disk, '1-set', files, 'two')).toBe('1-set-2')
  expect(readdirSync(place.store).sort()).toEqual(['1-set', '1-set-2'])
  expect(readFileSync(join(place.store, '1-set-2', 'a'), 'utf8')).toBe('new')
})
