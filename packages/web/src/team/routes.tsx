// The pages of the dashboard and their addresses.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { NotHere, PageFailed } from '../shell/lost.js'
import { texts } from '../shell/search.js'
import { Root } from './root.js'

const root = createRootRoute({ component: Root })

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})

export const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  validateSearch: texts('range'),
  component: lazyRouteComponent(() => import('./pages/overview.js'), 'Overview'),
})

export const hooks = createRoute({
  getParentRoute: () => root,
  path: '/hooks',
  validateSearch: texts('q', 'sort', 'hook'),
  component: lazyRouteComponent(() => import('./pages/hooks/list.js'), 'Hooks'),
})

export const newHook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/new',
  component: lazyRouteComponent(() => import('./pages/hook/edit.js'), 'NewHook'),
})

export const hook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$id',
  component: lazyRouteComponent(() => import('./pages/hook/edit.js'), 'EditHook'),
})

export const revision = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$id/rev/$number',
  validateSearch: texts('compare', 'tab', 'way', 'kind'),
  component: lazyRouteComponent(() => import('./pages/revision/revision.js'), 'RevisionPage'),
})

export const rollout = createRoute({
  getParentRoute: () => root,
  path: '/rollout',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(() => import('./pages/rollout/rollout.js'), 'Rollout'),
})

export const release = createRoute({
  getParentRoute: () => root,
  path: '/rollout/$number',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(() => import('./pages/rollout/rollout.js'), 'Rollout'),
})

export const routeTree = root.addChildren([index, overview, hooks, newHook, hook, revision, rollout, release])

export const openRouter = () =>
  createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NotHere,
    defaultErrorComponent: PageFailed,
  })
