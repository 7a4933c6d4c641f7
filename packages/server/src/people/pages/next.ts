/** Where to go after signing in: always a path of this server, whatever the link contains. */
export const safePath = (path: string | null): string =>
  path !== null && path.length <= 2000 && /^\/(?![/\\])[\w/?&=.,:%~+-]*$/.test(path) ? path : '/'

/** Visitors without a session sign in first, and then return. */
export const signInFor = (path: string): string => {
  const next = safePath(path)
  return next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
}

/** The first page of owners and admins whose account has no second factor yet. */
export const SECOND_FACTOR = '/account/second-factor'
