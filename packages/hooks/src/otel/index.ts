export const traceHooks = () => {}
