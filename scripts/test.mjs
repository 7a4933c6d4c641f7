// npm test: installs, builds, checks and runs the tests.
//
//   npm test                        everything but the large matrices
//   npm test -- --all               every test, the large matrices included; also: npm run test:all
//   npm test -- tests/cli           the tests of a folder or file: no format or type check
//   npm test -- "keeps a deny"      the tests whose names contain this text
//   npm test -- tests/cli --bail=1  options of vitest are passed on

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { check } from './check.mjs'
import { bin, install, installOnDemand, main, root, run } from './steps.mjs'

/** 250 packages for one test, which only runs with --all. */
const JEST = ['jest@30.5.2']

/** The AI SDK of the next major version, which needs another Node than the oldest one. */
const AI_SDK = {
  folder: join(root, 'node_modules/.cache/holdfast-ai-sdk-7'),
  packages: ['ai@7.0.173', '@ai-sdk/anthropic@4.0.105', '@ai-sdk/openai-compatible@3.0.92'],
  node: `node-${process.platform}-${process.arch}@22.23.3`,
}

await main(async () => {
  const given = process.argv.slice(2)
  const runsEverything = given.includes('--all')
  const selection = select(given.filter(arg => arg !== '--all'))
  process.stdout.write('Holdfast: checks and tests\n')
  await install()
  if (runsEverything) await installOnDemand('Jest', JEST)
  await build()
  if (!selection.isPart) await check()
  const env = {
    // Certificates that some machines add make every Node start slower; the tests start many.
    NODE_EXTRA_CA_CERTS: '',
    // For the tests that install packages.
    HOLDFAST_TEST_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
    // Building the pages sets it to production in this process.
    NODE_ENV: 'test',
    HOLDFAST_TEST_ALL: runsEverything ? '1' : '',
  }
  await run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...selection.args], { env })
  if (runsEverything && !selection.isPart) await testNextAiSdk(env)
})

/** The tests of the AI SDK once more, with its next version. */
async function testNextAiSdk(env) {
  const { folder, packages, node } = AI_SDK
  const program = join(folder, 'node_modules', node.split('@')[0], 'bin/node')
  if (!existsSync(program)) {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', '--prefix', folder, ...options, ...packages, node], { quiet: true })
  }
  const words = ['run', 'packages/hosts/src/ai-sdk']
  await run(program, [bin('vitest/vitest.mjs'), ...words], { env: { ...env, HOLDFAST_TEST_AI_SDK: folder } })
}

/** Arguments for vitest. A word that is part of a test file's path selects files; another one selects tests by name. */
function select(given) {
  const files = testFiles()
  const paths = []
  const names = []
  const options = []
  for (const [index, arg] of given.entries()) {
    const isValue = /^-[^=]*$/.test(given[index - 1] ?? '')
    if (arg.startsWith('-') || isValue) options.push(arg)
    else if (files.some(file => file.includes(arg))) paths.push(arg)
    else if (existsSync(join(root, arg))) throw new Error(`${arg} has no test file.`)
    else names.push(arg)
  }
  // Only files that contain the name are loaded; names that are put together at run time are in no file.
  if (names.length > 0 && paths.length === 0)
    paths.push(
      ...files.filter(file => names.some(name => readFileSync(join(root, file), 'utf8').includes(name))),
    )
  if (names.length > 0)
    options.push('-t', names.map(name => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'))
  return {
    args: [...paths, ...options],
    isPart: paths.length > 0 || /^(-t|--testNamePattern)/m.test(options.join('\n')),
  }
}

function testFiles() {
  return ['packages', 'tests', 'conformance', 'examples'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true })
      .filter(path => path.endsWith('.test.ts') && !/(^|[/\\])(node_modules|dist)[/\\]/.test(path))
      .map(path => join(folder, path)),
  )
}
