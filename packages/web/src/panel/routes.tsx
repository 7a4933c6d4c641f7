// The pages of the panel and their addresses. Everything that one looks at can be sent to somebody as a link.

import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
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
  component: lazyRouteComponent(() => import('./pages/hooks.js'), 'Hooks'),
})

export const hook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$hook',
  component: lazyRouteComponent(() => import('./pages/hooks-one.js'), 'HookPage'),
})

export const hookEdit = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$hook/edit',
  component: lazyRouteComponent(() => import('./pages/edit.js'), 'EditHook'),
})

export const sourceEdit = createRoute({
  getParentRoute: () => root,
  path: '/hooks/source/$source/edit',
  validateSearch: texts('line'),
  component: lazyRouteComponent(() => import('./pages/edit.js'), 'EditSource'),
})

export const fire = createRoute({
  getParentRoute: () => root,
  path: '/fire',
  validateSearch: texts('event', 'sample', 'from', 'profile'),
  component: lazyRouteComponent(() => import('./pages/fire.js'), 'Fire'),
})

export const compat = createRoute({
  getParentRoute: () => root,
  path: '/compat',
  validateSearch: texts('event', 'only', 'hook'),
  component: lazyRouteComponent(() => import('./pages/compat.js'), 'Compat'),
})

export const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: texts('verdict', 'event', 'hook', 'source', 'q', 'range', 'from', 'to', 'run'),
  component: lazyRouteComponent(() => import('./pages/runs.js'), 'Runs'),
})

export const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('./pages/runs/run.js'), 'Run'),
})

export const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: texts('q'),
  component: lazyRouteComponent(() => import('./pages/sessions.js'), 'Sessions'),
})

export const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  validateSearch: texts('span', 'zoom'),
  component: lazyRouteComponent(() => import('./pages/sessions/session.js'), 'Session'),
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
  fire,
  compat,
])
