// Before the first paint, and a file of its own: the policy allows no script in the page.
try {
  const theme = localStorage.getItem('holdfast.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing shows what the system prefers.
}
