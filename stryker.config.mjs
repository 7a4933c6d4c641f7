// For npm run test:mutants. Slow: some seconds for each mutant, so name the files that changed.

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts', related: true },
  mutate: [
    'packages/hooks/src/{decide,plan,enforce,run}/**/*.ts',
    'packages/team/src/seal/**/*.ts',
    '!**/*.test.ts',
    '!**/testing/**',
  ],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  // Not needed by these tests, and slow to copy.
  ignorePatterns: ['/python', '/docs', '/packages/web/src', '/examples', '**/dist'],
  // TypeScript 7 has no API that could rewrite a configuration, and nothing here is compiled.
  tsconfigFile: 'none.json',
}
