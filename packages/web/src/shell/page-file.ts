// Pages come in files of their own. One that cannot be had is a page that failed, and nothing more: whether to load
// everything anew is decided where it is shown, not by the router.

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
    name as never,
  )

/** How browsers say that a part of a page could not be had. */
const WORDS = /dynamically imported module|module script|preload/i

export const isMissingFile = (error: unknown): boolean =>
  error instanceof MissingFile || (error instanceof Error && WORDS.test(error.message))

/** A proxy may answer for a server that does not. */
export const doesAnswer = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )
