// Light, dark, or what the system prefers.

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'holdfast.theme'

export function theme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(next: Theme): void {
  if (next === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, next)
    document.documentElement.dataset.theme = next
  }
}

export const isDark = (): boolean =>
  theme() === 'dark' || (theme() === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)

/** Each press changes the visible theme. */
export const switchTheme = (): void => setTheme(isDark() ? 'light' : 'dark')
