/** The account that is signed in, for the shell and every page. */
import { signal } from '@preact/signals'
import type { AccountAnswers } from '../../src/operations/account-answers.ts'
import type { GuestStatus, MemberStatus } from '../../src/wire/pages/status.ts'
import type { OperationOptions } from './operation.ts'
import { perform } from './own-operation.ts'
import { request } from './request.ts'
import { signedInAgain, signInAgain, wasSignedIn } from './signed-out.ts'

type OwnAccount = AccountAnswers['accounts-show-own']
export type Me = OwnAccount['account'] & Omit<OwnAccount, 'account'>

export const me = signal<Me | undefined>(undefined)
/** Guests learn only the first part. */
export const status = signal<(GuestStatus & Partial<MemberStatus>) | undefined>(undefined)

/** Loads both and returns the account; undefined for a guest. Rejects with RequestFailure, also without a connection. */
export async function loadSession({ isForGuests = false } = {}): Promise<Me | undefined> {
  // The pages work without it.
  status.value = await request<typeof status.value>('/dashboard/api/status', { isForGuests: true }).catch(
    () => status.value,
  )
  // The server tells guests less. Nothing is asked that only an account can be answered.
  if (status.value !== undefined && status.value.version === undefined) {
    if (isForGuests) return undefined
    await signInAgain()
  }
  const own = await loadMe({ isForGuests })
  forgetOthers(own.id)
  wasSignedIn.value = true
  me.value = own
  return own
}

/** Returns the account that is signed in now. Rejects with RequestFailure. */
export async function loadMe(options?: OperationOptions): Promise<Me> {
  const { account, ...own } = await perform('accounts-show-own', {}, options)
  return { ...account, ...own }
}

/** Deletes the memory of a tab that belonged to another account. */
function forgetOthers(id: string): void {
  const name = 'inferd-account'
  if (sessionStorage.getItem(name) === id) return
  sessionStorage.clear()
  sessionStorage.setItem(name, id)
}

/**
 * Refreshes the balance after an action of the account's own. A failure shows as the loss of connection or session that it is.
 * Who has signed in meanwhile, in another tab, is signed in here too; another account gets its own pages.
 */
export async function refreshMe(): Promise<void> {
  const before = me.value?.id
  if (before === undefined) return
  const now = await loadSession().catch(() => undefined)
  if (now?.id === before) signedInAgain()
  else if (now !== undefined) startAnew()
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

/** Loads the pages anew for the account now signed in, so that nothing of the previous account remains. */
export function startAnew(): void {
  location.replace('/dashboard')
}
