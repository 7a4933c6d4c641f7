// For stryker.config.mjs: the unit tests of the engine and of signatures, and the recorded conformance cases.

import base from './vitest.config.js'

const { projects: _, reporters: __, ...test } = base.test as Record<string, unknown>

export default {
  ...base,
  test: {
    ...test,
    include: [
      'packages/hooks/src/**/*.test.ts',
      'packages/team/src/seal/*.test.ts',
      'conformance/run-recorded.test.ts',
    ],
  },
}
