/** A session ended while a page is open: the page asks for the password, and requests wait until it was given. */
import { signal } from '@preact/signals'

/** Shows the dialog over the page. */
export const mustSignIn = signal(false)

/** Somebody was signed in since this page was loaded; others are sent to the page for it. */
export const wasSignedIn = signal(false)

let waiting: PromiseWithResolvers<void> | undefined

/** Resolves when somebody has signed in. */
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

/** Where one signs in, and comes back from. */
export function signInAddress(next: string): string {
  return `/dashboard/sign-in?next=${encodeURIComponent(next)}`
}

/** Where a sign-in leads: only pages of ours, whatever a link says. */
export function nextAddress(next: string | null): string {
  const isOurs = next !== null && /^\/(dashboard|admin)(?![\w.-])[^\\]*$/.test(next)
  return isOurs ? next : '/dashboard'
}
