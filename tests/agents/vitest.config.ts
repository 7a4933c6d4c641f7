import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.js'

export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    env: base.test?.env ?? {},
    include: ['tests/agents/**/*.test.ts'],
    exclude: [],
    testTimeout: 120_000,
    // Each program uses a core and some hundred megabytes.
    fileParallelism: false,
  },
})
