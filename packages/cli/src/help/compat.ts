export const text = `  holdfast compat
`
