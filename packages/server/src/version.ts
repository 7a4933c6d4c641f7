/** Of this package, for who asks the server. A test holds it against package.json. */
export const VERSION = '0.1.0'
