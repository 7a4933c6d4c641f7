export const text = `  holdfast build
`
