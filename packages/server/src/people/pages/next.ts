/** Where to go after signing in: a place of this server, whatever was written into the link. */
export const safePath = (path: string | null): string =>
  path !== null && path.length <= 500 && /^\/(?![/\\])[\w/?&=.,:%~+-]*$/.test(path) ? path : '/'
