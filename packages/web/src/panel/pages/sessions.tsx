export const Sessions = () => null
