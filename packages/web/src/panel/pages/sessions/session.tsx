export const Session = () => null
