// One Chromium for all tests of the pages: one that is installed, the one that CHROMIUM_PATH names, or the build that comes
// from npm. Each test file gets windows of its own in it.

import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { guard } from '../processes.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser; empty if there is none. */
    chromium: string
  }
}

// Not the arguments that the npm build lists: they disable features that these tests check.
export const ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  // Software rendering in any case; this way takes two thirds of the time.
  '--disable-gpu',
  // No emulated graphics card either: rendering without one takes a tenth less CPU time.
  '--disable-software-rasterizer',
  '--font-render-hinting=none',
]

export async function startChromium(project: TestProject): Promise<() => Promise<void>> {
  const found = await findChromium()
  if (found === null) {
    const sentence =
      'No Chromium was found, so the pages are not tested. Install one, or name it in CHROMIUM_PATH.'
    // A complete run skips nothing.
    if (process.env.HOLDFAST_NEEDS_CHROMIUM) throw new Error(sentence)
    process.stderr.write(`\n  ${sentence}\n\n`)
    project.provide('chromium', '')
    return async () => {}
  }
  const server = await chromium.launchServer({ executablePath: found, args: ARGS })
  const { pid } = server.process()
  if (pid !== undefined) guard(pid)
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** An installed Chromium, the one that CHROMIUM_PATH names, or the npm build; null when there is none. */
export async function findChromium(): Promise<string | null> {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (existsSync(named)) return named
    throw new Error(`CHROMIUM_PATH is ${named}, where no file is.`)
  }
  const folders = (process.env.PATH ?? '').split(delimiter)
  const installed = folders.flatMap(folder => NAMES.map(name => join(folder, name))).find(isProgram)
  if (installed) return installed
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const { default: packed } = await import('@sparticuz/chromium')
    return await packed.executablePath()
  } catch {
    return null
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
