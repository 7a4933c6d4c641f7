// A hint that a newer version exists, for users who set HOLDFAST_UPDATE_CHECK=1. Nobody else contacts a registry.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const DAY_MS = 24 * 60 * 60 * 1000
/** A doctor must not wait for a slow registry. */
const LIMIT_MS = 3000
const USUAL_REGISTRY = 'https://registry.npmjs.org'

interface Answer {
  readonly latest: string
  readonly time: number
}

/** The newer version; undefined without the setting, without an answer, or if this version is the newest. */
export async function newerVersion(
  current: string,
  home: string,
  env: NodeJS.ProcessEnv = process.env,
  now: () => number = Date.now,
): Promise<string | undefined> {
  if (env.HOLDFAST_UPDATE_CHECK !== '1') return undefined
  const file = join(home, '.holdfast', 'newest-version.json')
  const stored = readAnswer(file)
  const isFresh = stored !== undefined && Math.abs(now() - stored.time) < DAY_MS
  const latest = isFresh ? stored.latest : await latestIn(env.npm_config_registry || USUAL_REGISTRY)
  if (latest !== undefined && !isFresh) writeAnswer(file, { latest, time: now() })
  return latest !== undefined && isNewer(latest, current) ? latest : undefined
}

async function latestIn(registry: string): Promise<string | undefined> {
  try {
    const url = `${registry.replace(/\/$/, '')}/holdfast/latest`
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) })
    const { version } = (await response.json()) as { version?: unknown }
    return response.ok && typeof version === 'string' && PLAIN.test(version) ? version : undefined
  } catch {
    return undefined
  }
}

/** A release, not a preview. Nothing else from the registry is printed. */
const PLAIN = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/

export function isNewer(latest: string, current: string): boolean {
  const [a, b] = [latest, current].map(version => version.split(/[.-]/).slice(0, 3).map(Number))
  const at = a!.findIndex((part, index) => part !== b![index])
  return at !== -1 && a![at]! > b![at]!
}

function readAnswer(file: string): Answer | undefined {
  try {
    const { latest, time } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Answer>
    return typeof latest === 'string' && PLAIN.test(latest) && typeof time === 'number'
      ? { latest, time }
      : undefined
  } catch {
    return undefined
  }
}

function writeAnswer(file: string, answer: Answer): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(answer), { mode: 0o600 })
  } catch {
    // Without a stored answer, the next call asks again.
  }
}
