// Both homes find their way in the same manner.

import { type AnyRoute, createRouter } from '@tanstack/react-router'
import { NotHere, PageFailed } from './lost.js'

export const routerOf = (routeTree: AnyRoute) =>
  createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NotHere,
    defaultErrorComponent: PageFailed,
  })
