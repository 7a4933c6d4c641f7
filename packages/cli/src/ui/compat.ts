// The support for each hook in each version.

import { isProven, judgeAll, standing } from '../compat/judge.js'
import { shortHook } from '../print/words.js'
import { IN_ORDER } from '../profiles/names.js'
import type { Panel } from './panel.js'

const STATES = { works: 'works', differs: 'differs', weaker: 'weaker', nothing: 'ignored' } as const

export async function getCompat({ options }: Panel) {
  const { hooks } = await judgeAll(options, IN_ORDER)
  return {
    profiles: [...IN_ORDER],
    rows: hooks.map(({ subject: { hook }, found }) => ({
      hook: shortHook(hook),
      source: hook.source,
      event: hook.event,
      file: hook.file ?? '',
      line: hook.line ?? 0,
      cells: IN_ORDER.map(name => ({
        state: STATES[standing(found, name)],
        notes: found
          .filter(({ versions }) => versions.includes(name))
          .map(one => `${isProven(one) ? '' : 'Possibly: '}${one.what} ${one.fix}`),
      })),
    })),
  }
}
