export const text = `  holdfast ui   the Hooks panel, in the browser of this machine
`
