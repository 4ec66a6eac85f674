/** Session expiry while a page is open: the page asks for the password and its requests wait for the new sign-in. */
import { signal } from '@preact/signals'

/** Shows the sign-in dialog over the page. */
export const mustSignIn = signal(false)

/** True after a sign-in since this page was loaded. Visitors without one are sent to the sign-in page. */
export const wasSignedIn = signal(false)

let waiting: PromiseWithResolvers<void> | undefined

/** Resolves after the next sign-in. */
export function signInAgain(): Promise<void> {
  if (!wasSignedIn.value) {
    location.assign(signInAddress(location.pathname + location.search))
    return new Promise(() => undefined)
  }
  mustSignIn.value = true
  waiting ??= Promise.withResolvers<void>()
  return waiting.promise
}

export function signedInAgain(): void {
  mustSignIn.value = false
  waiting?.resolve()
  waiting = undefined
}

/** Returns the address of the sign-in page, which leads back to `next`. */
function signInAddress(next: string): string {
  return `/dashboard/sign-in?next=${encodeURIComponent(next)}`
}

/** Returns the address to open after a sign-in. Anything but a page of this server becomes the dashboard. */
export function nextAddress(next: string | null): string {
  const isOurs = next !== null && /^\/(dashboard|admin)(?![\w.-])[^\\]*$/.test(next)
  return isOurs ? next : '/dashboard'
}
