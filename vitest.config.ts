import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { folderOfRun } from './tests/memory.js'
import { pathWithPython } from './tests/python/environment.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const folder = folderOfRun()

/** Another version of the AI SDK than the installed one, from a folder with `node_modules`. */
const sdk = process.env.HOLDFAST_TEST_AI_SDK
const sdkAlias = Object.fromEntries(
  (sdk ? ['ai', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'] : []).map(name => [
    name,
    `${sdk}/node_modules/${name}/dist/index.js`,
  ]),
)

/** Tests that start many processes come first: starting one takes longer the more memory a worker has in use. */
const LAST = ['tests/team/', 'tests/web/'].map(folder => at(`./${folder}`))
const rank = ({ moduleId }: TestSpecification) => LAST.findIndex(folder => moduleId.startsWith(folder))

class FoldersInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  resolve: {
    alias: {
      ...sdkAlias,
      '@holdfast/hooks/bridges': at('./packages/hooks/src/bridges/index.ts'),
      '@holdfast/hooks/otel': at('./packages/hooks/src/otel/index.ts'),
      '@holdfast/hooks/protocol': at('./packages/hooks/src/protocol/index.ts'),
      '@holdfast/hooks/sdk': at('./packages/hooks/src/sdk/index.ts'),
      '@holdfast/hooks/team': at('./packages/hooks/src/team/index.ts'),
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
    // A limit for a test that hangs, not a claim about speed: a busy machine needs many times what a quiet one does.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // More than there are cores: tests wait for processes, browsers and servers a third of the time.
    maxWorkers: 2 * availableParallelism(),
    env: { NODE_EXTRA_CA_CERTS: '', NO_COLOR: '1', TMPDIR: folder, PATH: pathWithPython(folder) },
    // Most tests start processes; their durations are not worth a line each.
    slowTestThreshold: 60_000,
    reporters: ['default', './scripts/test-report.mjs'],
    // Workers are shared by all files: modules are loaded once per worker, not once per file.
    isolate: false,
    // Workers live for minutes and run most functions a few times: V8 optimises later, which saves a tenth of the CPU time.
    // Later versions of Node have no such option.
    execArgv: process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : [],
    // Transformed modules are kept on disk for the next run, by their content.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: FoldersInTurn },
    setupFiles: at('./tests/end-processes.ts'),
    include: [
      'packages/*/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'conformance/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    // tests/agents needs the agents' own programs: npm run test:agents.
    exclude: ['tests/agents/**', '**/node_modules/**'],

    globalSetup: 'tests/setup.ts',
  },
})
