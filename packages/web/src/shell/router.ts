// How both apps route. Each registers its own routes in `main.tsx`, so that the compiler checks its links.

import { NotHere, PageFailed } from './lost.js'

export const ROUTING = {
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultNotFoundComponent: NotHere,
  defaultErrorComponent: PageFailed,
} as const
