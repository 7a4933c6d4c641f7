// Text in the notation of test files.

/** Plain if YAML reads it as text; otherwise in the quotes of JSON, which YAML reads the same way. */
export const scalar = (text: string) =>
  /^[A-Za-z][A-Za-z0-9 _/.-]*[A-Za-z0-9]$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text)
