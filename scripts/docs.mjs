// npm run docs: builds the documentation site into artefacts/site. A broken link fails the build.
// npm run docs            build
// npm run docs -- --serve build, and serve it on loopback

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { main, root, run, step } from './steps.mjs'

/** 250 MB that only this script needs, so it installs them apart from the packages of the repository. */
const PACKAGES = ['vitepress@1.6.4', 'mermaid@11.12.0']
const REPOSITORY = 'https://github.com/holdfast-hooks/holdfast/blob/main'
const work = join(root, 'node_modules/.cache/holdfast/docs')
const pages = join(work, 'docs')
const site = join(root, 'artefacts/site')

await main(async () => {
  const wanted = PACKAGES.join(' ')
  const stamp = join(work, 'installed')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    await step('installing the site generator', async () => {
      mkdirSync(work, { recursive: true })
      writeFileSync(join(work, 'package.json'), '{ "private": true, "type": "module" }')
      const options = ['--no-audit', '--no-fund', '--loglevel=error', '--no-package-lock']
      await run('npm', ['install', '--prefix', work, ...options, ...PACKAGES], { quiet: true, cwd: work })
      writeFileSync(stamp, wanted)
    })
  }
  await step('documentation site', async () => {
    copyPages()
    await run(
      process.execPath,
      [join(work, 'node_modules/vitepress/bin/vitepress.js'), 'build', pages, '--outDir', site],
      {
        quiet: true,
        cwd: work,
      },
    )
  })
  process.stdout.write(`\n${relative(root, site)}/index.html\n`)
  if (process.argv.includes('--serve')) {
    cpSync(site, join(pages, '.vitepress/dist'), { recursive: true })
    await run(process.execPath, [join(work, 'node_modules/vitepress/bin/vitepress.js'), 'preview', pages], {
      cwd: work,
    })
  }
})

/** The generator looks for its packages above the pages. Links out of docs/ lead to the repository. */
function copyPages() {
  rmSync(pages, { recursive: true, force: true })
  cpSync(join(root, 'docs'), pages, { recursive: true })
  for (const path of readdirSync(pages, { recursive: true })) {
    if (!path.endsWith('.md')) continue
    const file = join(pages, path)
    const text = readFileSync(file, 'utf8').replace(
      /(\]\()((?:\.\.?\/)[^()\s#]*)/g,
      (link, start, target) => {
        const inRepository = relative(pages, join(dirname(file), target))
        return inRepository.startsWith('..')
          ? `${start}${REPOSITORY}/${inRepository.replace(/^\.\.\//, '')}`
          : link
      },
    )
    writeFileSync(file, text)
  }
}
