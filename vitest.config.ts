import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: {
      '@holdfast/hooks/bridges': at('./packages/hooks/src/bridges/index.ts'),
      '@holdfast/hooks/protocol': at('./packages/hooks/src/protocol/index.ts'),
      '@holdfast/hooks/sdk': at('./packages/hooks/src/sdk/index.ts'),
      '@holdfast/hooks/testing': at('./packages/hooks/src/testing/index.ts'),
      '@holdfast/hooks': at('./packages/hooks/src/index.ts'),
      '@holdfast/hosts/ai-sdk': at('./packages/hosts/src/ai-sdk/index.ts'),
      '@holdfast/hosts/mcp': at('./packages/hosts/src/mcp/index.ts'),
      '@holdfast/hosts/team': at('./packages/hosts/src/team/index.ts'),
      '@holdfast/server': at('./packages/server/src/index.ts'),
      '@holdfast/team/caller': at('./packages/team/src/caller.ts'),
      '@holdfast/team/messages': at('./packages/team/src/messages.ts'),
      '@holdfast/web/panel': at('./packages/web/src/panel/messages.ts'),
      '@holdfast/web/serve': at('./packages/web/src/serve/pages.ts'),
      '@holdfast/team/device': at('./packages/team/src/device/index.ts'),
      '@holdfast/team': at('./packages/team/src/index.ts'),
    },
  },
  test: {
    testTimeout: 40_000,
    hookTimeout: 40_000,
    // One more than there are cores: tests wait for processes, browsers and servers more than they work.
    maxWorkers: availableParallelism() + 1,
    env: { NODE_EXTRA_CA_CERTS: '', NO_COLOR: '1' },
    // A line for each file; a test that took its time is no news here, most of them start processes.
    slowTestThreshold: 60_000,
    reporters: ['default', './scripts/test-report.mjs'],
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: [
            'packages/*/src/**/*.test.ts',
            'tests/**/*.test.ts',
            'conformance/**/*.test.ts',
            'examples/**/*.test.ts',
          ],
          // tests/agents needs the agents' own programs: npm run test:agents.
          exclude: ['tests/agents/**', 'tests/team/**', 'tests/web/**', '**/node_modules/**'],
        },
      },
      {
        extends: true,
        // Apart, as these start a PostgreSQL first.
        test: {
          name: 'team',
          include: ['tests/team/**/*.test.ts'],
          globalSetup: 'tests/team/setup.ts',
          setupFiles: 'tests/ends.ts',
          // What takes a second here takes forty on a machine that builds something beside it; who hangs hangs for good.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // The server is read in once, and not again for every file.
          isolate: false,
        },
      },
      {
        extends: true,
        // Apart, as these share one browser.
        test: {
          name: 'web',
          include: ['tests/web/**/*.test.ts'],
          globalSetup: 'tests/web/chromium.ts',
          setupFiles: 'tests/ends.ts',
          // Each waits for what it names as long as a busy machine needs; a second is too short for a page.
          expect: { poll: { timeout: 15_000 } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A browser on a busy machine is late at times; the end of a run names what needed another try.
          retry: 2,
          // The team server is read in once, and not again for every file.
          isolate: false,
        },
      },
    ],
  },
})
