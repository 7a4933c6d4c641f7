/** For useInfiniteQuery: lists are loaded page by page, each with the token of the page before it. */
export const BY_TOKEN = {
  pageParamKey: 'pageToken',
  getNextPageParam: (page: { readonly nextPageToken: string }) => page.nextPageToken || undefined,
} as const
