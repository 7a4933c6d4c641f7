// Starts the shared services once, if one of the selected files needs them: databases and a browser.

import type { TestProject } from 'vitest/node'
import { startDatabases } from './team/setup.js'
import { startChromium } from './web/chromium.js'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const paths = project.vitest.state.getPaths()
  const isSelected = (folder: string) => paths.some(path => path.includes(`/tests/${folder}/`))
  const stops = await Promise.all([
    isSelected('team') ? startDatabases(project) : undefined,
    isSelected('web') ? startChromium(project) : undefined,
  ])
  return async () => {
    await Promise.all(stops.map(stop => stop?.()))
  }
}
