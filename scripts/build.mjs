// Builds the packages: one bundle per entry point, the web pages, and the type declarations. Skips what has not
// changed.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildClient, canCompile, clientPath } from './build-client.mjs'
import { writeNotices } from './notices.mjs'
import { bin, install, main, root, run, stepUnlessUnchanged } from './steps.mjs'

const at = (...path) => join(root, 'packages', ...path)

const isTest = path => /\.test\.tsx?$/.test(path)
const isPage = path => /\.(tsx|css)$/.test(path)
/** The projects that emit declarations; `tsc -b` builds their references first. */
const TYPED = ['hooks', 'guards', 'hosts', 'team', 'server', 'web/tsconfig.types.json'].map(
  name => `packages/${name}`,
)
const PACKAGES = ['hooks', 'guards', 'hosts', 'team', 'web', 'server', 'cli']
const EVERY_BUILD = ['package-lock.json', 'scripts/build.mjs']

export async function build() {
  await stepUnlessUnchanged(
    'bundles',
    {
      inputs: [...EVERY_BUILD, 'packages', 'examples', 'python'],
      outputs: [
        ...['hooks/dist/index.js', 'hooks/dist/index.cjs', 'hosts/dist/mcp.js', 'team/dist/index.js'],
        'web/dist/serve.js',
        ...['server/dist/index.js', 'cli/dist/holdfast.cjs', 'cli/dist/bridge.cjs', 'cli/dist/panel.mjs'],
      ].map(path => `packages/${path}`),
      ignore: path => isTest(path) || isPage(path),
    },
    buildBundles,
  )
  await stepUnlessUnchanged(
    'pages',
    {
      inputs: [...EVERY_BUILD, 'packages/web', 'packages/team'],
      outputs: ['packages/web/dist/pages/panel.html'],
      ignore: isTest,
    },
    buildPages,
  )
  await stepUnlessUnchanged(
    'native client',
    {
      inputs: ['packages/cli/client', 'scripts/build-client.mjs'],
      outputs: canCompile() ? [clientPath()] : [],
    },
    buildClient,
  )
  await stepUnlessUnchanged(
    'type declarations',
    {
      inputs: [...EVERY_BUILD, 'tsconfig.base.json', 'packages'],
      outputs: [
        ...[
          'guards/dist/types/index.d.ts',
          'guards/dist/types/shell/index.d.ts',
          'hooks/dist/types/index.d.ts',
          'hooks/dist/types/index.d.cts',
          'hosts/dist/types/mcp/index.d.ts',
        ],
        ...['team/dist/types/index.d.ts', 'server/dist/types/index.d.ts', 'web/dist/types/serve/pages.d.ts'],
      ].map(path => `packages/${path}`),
      ignore: path => isTest(path) || isPage(path) || path === 'packages/cli',
    },
    async () => {
      await typecheck(TYPED)
      writeCommonJsTypes()
    },
  )
}

/** Checks these projects and their references; unchanged projects are not checked again. */
export const typecheck = projects =>
  run(process.execPath, [bin('typescript/bin/tsc'), '-b', ...projects], { quiet: true })

async function buildBundles() {
  const esbuild = await import('esbuild')
  const shared = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    mainFields: ['module', 'main'],
    metafile: true,
  }
  for (const name of PACKAGES) removeBundles(at(name, 'dist'))
  const builds = await Promise.all([
    // Small dependencies are bundled: an import of the engine reads two files, not two hundred.
    esbuild.build({
      ...shared,
      entryPoints: {
        index: at('hooks/src/index.ts'),
        protocol: at('hooks/src/protocol/index.ts'),
        testing: at('hooks/src/testing/index.ts'),
        bridges: at('hooks/src/bridges/index.ts'),
        team: at('hooks/src/team/index.ts'),
        otel: at('hooks/src/otel/index.ts'),
      },
      // Optional peers: a user who needs generators or traces installs them.
      external: ['fast-check', '@opentelemetry/api'],
      outdir: at('hooks/dist'),
      format: 'esm',
      splitting: true,
      // Names are kept for readable stack traces. Less text is read faster.
      minifyWhitespace: true,
      minifySyntax: true,
    }),
    esbuild.build({
      ...shared,
      entryPoints: { index: at('guards/src/index.ts'), shell: at('guards/src/shell/index.ts') },
      outdir: at('guards/dist'),
      format: 'esm',
      // The reader of YAML is CommonJS, which a bundle of modules cannot load.
      packages: 'external',
      minifyWhitespace: true,
      minifySyntax: true,
    }),
    // Separate, so that the import of a hook reads one small file.
    esbuild.build({
      ...shared,
      entryPoints: { sdk: at('hooks/src/sdk/index.ts') },
      outdir: at('hooks/dist'),
      format: 'esm',
    }),
    esbuild.build({
      ...shared,
      entryPoints: {
        'ai-sdk': at('hosts/src/ai-sdk/index.ts'),
        mcp: at('hosts/src/mcp/index.ts'),
        team: at('hosts/src/team/index.ts'),
      },
      outdir: at('hosts/dist'),
      format: 'esm',
      packages: 'external',
    }),
    esbuild.build({
      ...shared,
      entryPoints: {
        index: at('team/src/index.ts'),
        device: at('team/src/device/index.ts'),
        caller: at('team/src/caller.ts'),
        messages: at('team/src/messages.ts'),
      },
      outdir: at('team/dist'),
      format: 'esm',
      // The entry points share the signed envelopes, the messages and the libraries.
      splitting: true,
      chunkNames: 'part-[hash]',
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: 'linked',
      external: ['@holdfast/*'],
    }),
    esbuild.build({
      ...shared,
      entryPoints: {
        index: at('server/src/index.ts'),
        'records-writer': at('server/src/store/writer/thread.ts'),
        'records-reader': at('server/src/store/reader-thread.ts'),
      },
      outdir: at('server/dist'),
      format: 'esm',
      splitting: true,
      chunkNames: 'part-[hash]',
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: 'linked',
      // All libraries except native code are bundled: a start reads 20 files instead of a thousand.
      external: ['@holdfast/*', 'libsql', 'pg-native'],
      // The database client is CommonJS.
      banner: {
        js: "import { createRequire } from 'node:module';const require=createRequire(import.meta.url);",
      },
    }),
    // Self-contained: the sandbox sees no other file of the server.
    esbuild.build({
      ...shared,
      entryPoints: {
        'replay-child': at('server/src/replay/child.ts'),
        enter: at('server/src/replay/enter.ts'),
      },
      outdir: at('server/dist'),
      // No package.json beside it declares the module format.
      outExtension: { '.js': '.mjs' },
      format: 'esm',
      alias: {
        '@holdfast/hooks': at('hooks/src/index.ts'),
        '@holdfast/hooks/protocol': at('hooks/src/protocol/index.ts'),
      },
    }),
    esbuild.build({
      ...shared,
      entryPoints: { serve: at('web/src/serve/pages.ts'), panel: at('web/src/panel/messages.ts') },
      outdir: at('web/dist'),
      format: 'esm',
      packages: 'external',
    }),
    // The panel's server: a bundle of modules, like its libraries.
    esbuild.build({
      ...shared,
      entryPoints: { panel: at('cli/src/ui/index.ts') },
      outdir: at('cli/dist'),
      outExtension: { '.js': '.mjs' },
      format: 'esm',
      external: ['@holdfast/*', '@connectrpc/*', '@bufbuild/*', 'esbuild', 'fast-check'],
    }),
    // For `holdfast build` in workspaces that have not installed the guards.
    esbuild.build({
      ...shared,
      entryPoints: { shell: at('guards/src/shell/index.ts') },
      outdir: at('cli/dist'),
      format: 'esm',
    }),
    // CommonJS, which Node starts several milliseconds faster than modules. Three files: `fire` and `bridge`, for
    // which agents wait, are not bundled with the commands of authors.
    esbuild.build({
      ...shared,
      entryPoints: {
        holdfast: at('cli/src/main.ts'),
        bridge: at('cli/src/main-bridge.ts'),
        commands: at('cli/src/main-commands.ts'),
        guards: at('cli/src/guards/guard.ts'),
        daemon: at('cli/src/daemon/main.ts'),
        'guard-worker': at('cli/src/daemon/guard-worker.ts'),
        'watchdog-thread': at('cli/src/daemon/watchdog-thread.ts'),
      },
      outdir: at('cli/dist'),
      outExtension: { '.js': '.cjs' },
      format: 'cjs',
      minify: true,
      // Code from V8's cache cannot import, so modules that are loaded late are required instead.
      supported: { 'dynamic-import': false },
      alias: {
        '@holdfast/hooks': at('hooks/src/index.ts'),
        '@holdfast/hooks/protocol': at('hooks/src/protocol/index.ts'),
        '@holdfast/hooks/testing': at('hooks/src/testing/index.ts'),
        '@holdfast/hooks/bridges': at('hooks/src/bridges/index.ts'),
        '@holdfast/hosts/team': at('hosts/src/team/index.ts'),
        '@holdfast/guards': at('guards/src/index.ts'),
        '@holdfast/guards/shell': at('guards/src/shell/index.ts'),
      },
      external: [
        '@holdfast/hosts/ai-sdk',
        '@holdfast/hosts/mcp',
        '@holdfast/server',
        '@holdfast/team',
        '@holdfast/team/*',
        'esbuild',
        'fast-check',
      ],
      banner: { js: "'use strict'" },
      // Tells tools that search the text for its format: a bundle contains the plugin of OpenCode, which is a module.
      footer: { js: 'module.exports' },
    }),
  ])
  for (const name of PACKAGES) writeNotices(at(name, 'dist'), inputsOf(builds, `packages/${name}/dist/`))
  await buildCommonJs(esbuild, shared, at('hooks/dist'))
  for (const name of ['holdfast', 'bridge']) mustBeAscii(at(`cli/dist/${name}.cjs`))
  // For `holdfast build` in workspaces that have not installed the SDK.
  cpSync(at('hooks/dist/sdk.js'), at('cli/dist/sdk.js'))
  cpSync(at('hooks/schema'), at('cli/dist/schema'), { recursive: true })
  await copyForInit()
}

/** The source files of the bundles of one folder. */
const inputsOf = (builds, folder) =>
  builds
    .flatMap(({ metafile }) => Object.entries(metafile.outputs))
    .flatMap(([output, { inputs }]) => (output.startsWith(folder) ? Object.keys(inputs) : []))

/**
 * The modules of the engine as CommonJS, file by file. The entry points share their chunks, so a program that only
 * uses require has one copy of each class.
 */
async function buildCommonJs(esbuild, shared, folder) {
  const renamed = {
    name: 'renamed-chunks',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\// }, ({ path }) => ({ path: path.replace(/\.js$/, '.cjs'), external: true })),
  }
  await esbuild.build({
    ...shared,
    entryPoints: readdirSync(folder)
      .filter(name => name.endsWith('.js'))
      .map(name => join(folder, name)),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    packages: 'external',
    plugins: [renamed],
    minifyWhitespace: true,
    minifySyntax: true,
    // Jest cannot import modules unless a flag enables it.
    supported: { 'dynamic-import': false },
  })
}

/**
 * The declarations of the CommonJS files: the same with other file names, for everything that the entry points reach.
 */
function writeCommonJsTypes() {
  const { exports } = JSON.parse(readFileSync(at('hooks/package.json'), 'utf8'))
  const reached = new Set(
    Object.values(exports).flatMap(({ import: entry }) => (entry ? [at('hooks', entry.types)] : [])),
  )
  for (const file of reached) {
    const text = readFileSync(file, 'utf8').replace(
      /((?:from|import) ?\(?['"])(\.[^'"]*)\.js(['"])/g,
      (_, before, path, after) => {
        reached.add(join(dirname(file), `${path}.d.ts`))
        return `${before}${path}.cjs${after}`
      },
    )
    writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), text)
  }
}

/** Removes what an earlier build left, except for the pages and the declarations, which are built separately. */
function removeBundles(folder) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (name !== 'pages' && name !== 'types') rmSync(join(folder, name), { recursive: true })
}

/** The pages of the Hooks panel and of the team dashboard. */
async function buildPages() {
  const vite = await import('vite')
  await vite.build({ configFile: at('web/vite.config.ts'), logLevel: 'warn' })
}

/**
 * The files that `holdfast init` writes: the library for Python, and the examples that have cases, each complete: with the
 * bundles of its TypeScript and the library of its Python, so that nobody needs esbuild to use one.
 */
async function copyForInit() {
  const isWanted = path => !/(^|[/\\])(__pycache__|node_modules)$|\.test\.ts$/.test(path)
  const copy = (from, to) =>
    cpSync(join(root, from), at('cli/dist', to), { recursive: true, filter: isWanted })
  const library = 'python/holdfast_hooks'
  copy(library, library)
  const typescript = []
  for (const name of readdirSync(join(root, 'examples'))) {
    const hooks = `examples/${name}/.cursor/hooks`
    const files = existsSync(join(root, hooks)) ? readdirSync(join(root, hooks)) : []
    if (!files.some(file => /\.hooks-test\.\w+$/.test(file))) continue
    for (const part of ['.cursor', 'README.md']) copy(`examples/${name}/${part}`, `examples/${name}/${part}`)
    if (files.some(file => file.endsWith('.py'))) copy(library, `${hooks}/holdfast_hooks`)
    if (files.some(file => file.endsWith('.ts'))) typescript.push(at(`cli/dist/examples/${name}`))
  }
  const roots = typescript.flatMap(folder => ['--root', folder])
  await run(process.execPath, [at('cli/bin/holdfast.cjs'), 'build', ...roots], { quiet: true })
}

/** `init` reads the bundle byte by byte; a letter of two bytes would become two. */
function mustBeAscii(file) {
  const text = readFileSync(file, 'latin1')
  const at = text.search(/[^\x00-\x7f]/)
  if (at === -1) return
  throw new Error(
    `The bundle is not plain ASCII: …${text.slice(Math.max(0, at - 60), at + 20)}… Write the letter as \\u….`,
  )
}

if (process.argv[1]?.endsWith('build.mjs')) {
  await main(async () => {
    await install()
    await build()
  })
}
