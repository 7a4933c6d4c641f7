export const text = `  holdfast replay
`
