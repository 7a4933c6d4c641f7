// The pages of the panel and their addresses. Every view has a link.

import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { pageFile } from '../shell/page-file.js'
import { texts } from '../shell/search.js'
import { Root } from './root.js'

const root = createRootRoute({ component: Root })

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/hooks', replace: true })
  },
})

export const hooks = createRoute({
  getParentRoute: () => root,
  path: '/hooks',
  validateSearch: texts('source', 'state', 'q', 'hook'),
  component: pageFile(() => import('./pages/hooks.js'), 'Hooks'),
})

export const hook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$hook',
  component: pageFile(() => import('./pages/hooks-one.js'), 'HookPage'),
})

export const hookEdit = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$hook/edit',
  component: pageFile(() => import('./pages/edit.js'), 'EditHook'),
})

export const sourceEdit = createRoute({
  getParentRoute: () => root,
  path: '/hooks/source/$source/edit',
  validateSearch: texts('line'),
  component: pageFile(() => import('./pages/edit.js'), 'EditSource'),
})

export const fire = createRoute({
  getParentRoute: () => root,
  path: '/fire',
  validateSearch: texts('event', 'sample', 'from', 'profile'),
  component: pageFile(() => import('./pages/fire.js'), 'Fire'),
})

export const compat = createRoute({
  getParentRoute: () => root,
  path: '/compat',
  validateSearch: texts('event', 'only', 'hook'),
  component: pageFile(() => import('./pages/compat.js'), 'Compat'),
})

export const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: texts('verdict', 'event', 'hook', 'source', 'q', 'range', 'from', 'to', 'run'),
  component: pageFile(() => import('./pages/runs.js'), 'Runs'),
})

export const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  component: pageFile(() => import('./pages/runs/run.js'), 'Run'),
})

export const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: texts('q'),
  component: pageFile(() => import('./pages/sessions.js'), 'Sessions'),
})

export const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  validateSearch: texts('span', 'zoom'),
  component: pageFile(() => import('./pages/sessions/session.js'), 'Session'),
})

const questions = createRoute({
  getParentRoute: () => root,
  path: '/questions',
  component: pageFile(() => import('./pages/questions.js'), 'Questions'),
})

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
