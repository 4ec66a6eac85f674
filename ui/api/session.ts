/** The account that is signed in, for the shell and every page. */
import { signal } from '@preact/signals'
import type { Me } from '../../src/wire/pages/me.ts'
import type { GuestStatus, MemberStatus } from '../../src/wire/pages/status.ts'
import { request } from './request.ts'
import { wasSignedIn } from './signed-out.ts'

export const me = signal<Me | undefined>(undefined)
/** Guests learn only the first part. */
export const status = signal<(GuestStatus & Partial<MemberStatus>) | undefined>(undefined)

/** Loads both; a guest has no account. Rejects with RequestFailure when there is no connection. */
export async function loadSession({ isForGuests = false } = {}): Promise<void> {
  void request<GuestStatus & Partial<MemberStatus>>('/dashboard/api/status', { isForGuests: true }).then(
    (loaded) => {
      status.value = loaded
    },
    () => undefined, // The pages work without it.
  )
  me.value = await request<Me>('/dashboard/api/me', { isForGuests })
  wasSignedIn.value = true
}

/** Refreshes the balance after an action of the account's own. A failure shows as the loss of connection or session that it is. */
export async function refreshMe(): Promise<void> {
  if (me.value === undefined) return
  await loadSession().catch(() => undefined)
}

const refreshMs = 30_000

/** Refreshes the balance on focus and twice a minute while the page is visible; the returned function ends that. */
export function keepFresh(): () => void {
  const refresh = () => {
    if (document.visibilityState === 'visible') void refreshMe()
  }
  const timer = setInterval(refresh, refreshMs)
  globalThis.addEventListener('focus', refresh)
  return () => {
    clearInterval(timer)
    globalThis.removeEventListener('focus', refresh)
  }
}

/** Ends the session. The document is loaded anew, so that nothing of the account stays in memory. */
export async function signOut(): Promise<void> {
  await request('/dashboard/api/sign-out', { method: 'POST' })
  sessionStorage.clear()
  location.replace('/dashboard/sign-in')
}

/** Loads the pages of the account that is signed in now, in the place of all that is there of another. */
export function startAnew(): void {
  sessionStorage.clear()
  location.replace('/dashboard')
}
