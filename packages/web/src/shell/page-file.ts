// Each page is a file of its own. A missing file is a failed page: the page that shows the error decides whether to
// reload, not the router.

import { lazyRouteComponent } from '@tanstack/react-router'

export class MissingFile extends Error {}

export const pageFile = <Exports extends Record<string, unknown>, Name extends keyof Exports & string>(
  load: () => Promise<Exports>,
  name: Name,
) =>
  lazyRouteComponent(
    () =>
      load().catch((error: Error) => {
        throw new MissingFile('A file of this page is missing.', { cause: error })
      }),
    name,
  )

/** Messages of browsers about a missing module. */
const WORDS = /dynamically imported module|module script|preload/i

export const isMissingFile = (error: unknown): boolean =>
  error instanceof MissingFile || (error instanceof Error && WORDS.test(error.message))

/** A proxy may respond for a server that is down. */
export const doesAnswer = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )
