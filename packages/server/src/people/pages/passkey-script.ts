// The script of the pages with passkeys, served as /passkey.js: it calls the browser's own API.

export const PASSKEY_SCRIPT = `'use strict'
{
  const send = async (path, fields) => {
    const response = await fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
    const answer = await response.json().catch(() => ({}))
    if (!response.ok) throw new Error(answer.message || 'The server did not accept it. Try again later.')
    return answer
  }
  const steps = {
    async add(form) {
      const password = form.querySelector('[name=password]').value
      const options = await send('/account/passkey/options', { password })
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const made = await navigator.credentials.create({ publicKey })
      return send('/account/passkey', { response: JSON.stringify(made) })
    },
    async 'sign-in'(part) {
      const options = await send('/sign-in/passkey/options', {})
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
      const used = await navigator.credentials.get({ publicKey })
      return send('/sign-in/passkey', { response: JSON.stringify(used), next: part.dataset.next })
    },
  }
  // Browsers accept passkeys for names only, not for addresses.
  const isName = !/^[\\d.]+$|:/.test(window.location.hostname)
  const isSupported =
    isName && typeof PublicKeyCredential === 'function' && PublicKeyCredential.parseCreationOptionsFromJSON
  for (const part of isSupported ? document.querySelectorAll('[data-passkey]') : []) {
    part.hidden = false
    const button = part.querySelector('button')
    const run = async event => {
      event.preventDefault()
      button.disabled = true
      try {
        const { location } = await steps[part.dataset.passkey](part)
        window.location.assign(location)
      } catch (error) {
        part.querySelector('[role=alert]').textContent =
          error.name === 'NotAllowedError' ? 'It was cancelled, or took too long.' : error.message
        button.disabled = false
      }
    }
    if (part instanceof HTMLFormElement) part.addEventListener('submit', run)
    else button.addEventListener('click', run)
  }
}
`
