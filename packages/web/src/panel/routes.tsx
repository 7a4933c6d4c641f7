// The pages of the panel and their addresses. Every view has a link.

import { createRootRoute, createRoute, type RouteComponent, redirect } from '@tanstack/react-router'
import { pageFile } from '../shell/page-file.js'
import { texts } from '../shell/search.js'
import { Root } from './root.js'

const root = createRootRoute({ component: Root })

/** A page of a file of its own, and the names in its query. */
const at = <const Path extends string, Exports extends Record<string, unknown>, Name extends string = never>(
  path: Path,
  load: () => Promise<Exports>,
  name: keyof Exports & string,
  names: readonly Name[] = [],
) => {
  const component = pageFile(load, name) as RouteComponent
  return createRoute({ getParentRoute: () => root, path, component, validateSearch: texts(...names) })
}

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/hooks', replace: true })
  },
})
export const hooks = at('/hooks', () => import('./pages/hooks.js'), 'Hooks', ['source', 'state', 'q', 'hook'])
export const hook = at('/hooks/$hook', () => import('./pages/hooks-one.js'), 'HookPage')
export const hookEdit = at('/hooks/$hook/edit', () => import('./pages/edit.js'), 'EditHook')
export const sourceEdit = at('/hooks/source/$source/edit', () => import('./pages/edit.js'), 'EditSource', [
  'line',
])
export const fire = at('/fire', () => import('./pages/fire.js'), 'Fire', [
  'event',
  'sample',
  'from',
  'profile',
])
export const compat = at('/compat', () => import('./pages/compat.js'), 'Compat', ['event', 'only', 'hook'])
export const runs = at('/runs', () => import('./pages/runs.js'), 'Runs', [
  'verdict',
  'event',
  'hook',
  'source',
  'q',
  'range',
  'from',
  'to',
  'run',
])
export const run = at('/runs/$id', () => import('./pages/runs/run.js'), 'Run')
export const sessions = at('/sessions', () => import('./pages/sessions.js'), 'Sessions', ['q'])
export const session = at('/sessions/$id', () => import('./pages/sessions/session.js'), 'Session', [
  'span',
  'zoom',
])
const questions = at('/questions', () => import('./pages/questions.js'), 'Questions')

export const routeTree = root.addChildren([
  index,
  hooks,
  hook,
  hookEdit,
  sourceEdit,
  runs,
  run,
  sessions,
  session,
  questions,
  fire,
  compat,
])
