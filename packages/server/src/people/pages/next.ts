/** Where to go after signing in: a place of this server, whatever was written into the link. */
export const safePath = (path: string | null): string =>
  path !== null && path.length <= 2000 && /^\/(?![/\\])[\w/?&=.,:%~+-]*$/.test(path) ? path : '/'

/** Who is not signed in is asked to, and then comes back. */
export const signInFor = (path: string): string => {
  const next = safePath(path)
  return next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
}
