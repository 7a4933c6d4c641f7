// The picture of a terminal in the README comes from a session of the real command.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
// @ts-expect-error A script without types.
import { picture, play } from '../../scripts/recording.mjs'
import { root } from '../architecture/source.js'

const session = play() as { command: string; lines: string[] }[]

/** Without measured times, colours and the random code that lets an action pass. */
const plain = (text: string) =>
  text
    .replace(/<[^>]*>/g, '')
    .replace(/\d+(?:\.\d+)? m?s\b/g, 'T')
    .replace(/(?<=holdfast\s+allow-once )[A-HJKMNP-Z2-9]{6}\b/g, 'CODE')
    .replace(/ +/g, ' ')

it('shows a denied command', () => {
  const svg = picture(session) as string
  expect(plain(svg)).toContain('DENIED in T by project')
  for (const { command } of session) expect(svg).toContain(command.slice(0, 30))
})

it('is the picture in the documentation, apart from times and the code', () => {
  const stored = readFileSync(join(root, 'docs/pictures/quick-start.svg'), 'utf8')
  const bodies = [stored, picture(session) as string].map(svg => plain(svg.slice(svg.indexOf('<rect'))))
  expect(bodies[0]).toBe(bodies[1])
})
