/** The account that is signed in, for the shell and every page. */
import { signal } from '@preact/signals'
import type { AccountAnswers } from '../../src/operations/account-answers.ts'
import type { OperationName } from '../../src/operations/operations.ts'
import type { GuestStatus, MemberStatus } from '../../src/wire/pages/status.ts'
import type { OperationOptions } from './operation.ts'
import { perform } from './own-operation.ts'
import { recallPayer } from './payer.ts'
import { request } from './request.ts'
import { signedInAgain, signInAgain, wasSignedIn } from './signed-out.ts'

type OwnAccount = AccountAnswers['accounts-show-own']
export type Me = OwnAccount['account'] & Omit<OwnAccount, 'account'>

export const me = signal<Me | undefined>(undefined)
/** Status of the server. Guests get only the first part. */
export const status = signal<(GuestStatus & Partial<MemberStatus>) | undefined>(undefined)

/** Returns whether the signed-in account may perform an operation on the pages of staff, there giving a field. */
export function mayPerform(name: OperationName, field?: string): boolean {
  const fields = status.value?.operations?.[name]
  return fields !== undefined && (field === undefined || fields === 'all' || fields.includes(field))
}

/** Returns the address at which programs reach the server. */
export function serverAddress(): string {
  return status.value?.base_url ?? location.origin
}

/**
 * Loads status and account and returns the account; undefined for a guest. Rejects with RequestFailure, also without
 * a connection.
 */
export async function loadSession({ isForGuests = false } = {}): Promise<Me | undefined> {
  // The pages work without a status.
  status.value = await request<typeof status.value>('/dashboard/api/status', { isForGuests: true }).catch(
    () => status.value,
  )
  // The server tells guests less. A guest sends no requests that only an account may send.
  if (status.value !== undefined && status.value.version === undefined) {
    if (isForGuests) return undefined
    await signInAgain()
  }
  const own = await loadMe({ isForGuests })
  forgetOthers(own.id)
  recallPayer(own.id, own.teams)
  rememberProvider(status.value?.provider ?? undefined)
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
 * Refreshes the balance after an action of the account. A failure shows only as a lost connection or session. A
 * sign-in in another tab meanwhile counts here too; for another account its own pages are loaded.
 */
export async function refreshMe(): Promise<void> {
  const before = me.value?.id
  if (before === undefined) return
  const now = await loadSession().catch(() => undefined)
  if (now?.id === before) signedInAgain()
  else if (now !== undefined) startAnew()
}

const refreshMs = 30_000

/**
 * Refreshes the balance on focus, and twice a minute while the page is visible, until the returned function is
 * called.
 */
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

/** Ends the session. Returns the address that ends it at its identity provider too, else that of the sign-in page. */
export async function endSession(): Promise<string> {
  const path = '/dashboard/api/sign-out'
  const { continue_at } = await request<{ readonly continue_at: string | null }>(path, { method: 'POST' })
  sessionStorage.clear()
  rememberProvider(undefined)
  return continue_at ?? '/dashboard/sign-in'
}

/** Loads another document, so that nothing of the account stays in memory. */
export function leaveSignedOut(address: string): void {
  location.replace(address)
}

const providerName = 'inferd-provider'

function rememberProvider(name: string | undefined): void {
  if (name === undefined) localStorage.removeItem(providerName)
  else localStorage.setItem(providerName, name)
}

/**
 * Returns the address that signs in again without a question, where this browser's last session began with an identity
 * provider and was not signed out. Undefined the next time, so that a provider that asks is shown as a link.
 */
export function takeSilentSignIn(next: string): string | undefined {
  const name = localStorage.getItem(providerName)
  const provider = status.value?.providers.find((each) => each.name === name)
  if (provider === undefined) return undefined
  rememberProvider(undefined)
  return `${providerAddress(provider.start, next)}&silent=1`
}

/** Returns the address that begins a sign-in by an identity provider and then opens `next`. */
export function providerAddress(start: string, next: string): string {
  return `${start}?to=${encodeURIComponent(next)}`
}

/** Loads the pages again for the account now signed in, so that nothing of the previous one remains. */
export function startAnew(): void {
  location.replace('/dashboard')
}
