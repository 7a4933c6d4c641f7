// Pages are in English; dates and figures follow the language of the browser.

const locale = (): string | undefined => globalThis.navigator?.language

/** Formats are expensive to create, so one is kept until the language changes. */
export function perLocale<Format>(create: (locale: string | undefined) => Format): () => Format {
  let latest: { readonly locale: string | undefined; readonly format: Format } | undefined
  return () => {
    const now = locale()
    if (latest?.locale !== now || !latest) latest = { locale: now, format: create(now) }
    return latest.format
  }
}

export const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  perLocale(locale => new Intl.DateTimeFormat(locale, options))
