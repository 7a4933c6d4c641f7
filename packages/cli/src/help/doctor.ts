export const text = `  holdfast doctor
`
