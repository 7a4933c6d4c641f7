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

export const routeTree = root.addChildren([index, overview])

export const openRouter = () =>
  createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NotHere,
    defaultErrorComponent: PageFailed,
  })
