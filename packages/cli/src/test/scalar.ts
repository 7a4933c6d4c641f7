// Text as test files hold it.

/** Plain where YAML cannot take it for something else; in JSON's quotes otherwise, which YAML reads alike. */
export const scalar = (text: string) =>
  /^[A-Za-z][A-Za-z0-9 _/.-]*[A-Za-z0-9]$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text)
