export const text = `  holdfast init
`
