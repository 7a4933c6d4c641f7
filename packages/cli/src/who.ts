// Values that hooks also read from their environment, so the host must give them.

export function whoAndWhat({ cursor_version, user_email }: Readonly<Record<string, unknown>>): {
  version?: string
  userEmail?: string
} {
  return {
    ...(typeof cursor_version === 'string' ? { version: cursor_version } : {}),
    ...(typeof user_email === 'string' ? { userEmail: user_email } : {}),
  }
}
