export const text = `  holdfast test
`
