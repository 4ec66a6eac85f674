/** Team that pays for the playground in place of the account that is signed in. The browser keeps the choice. */
import { signal } from '@preact/signals'

/** Id of the team. Undefined while the account pays itself. */
export const payer = signal<string | undefined>(undefined)

/** True after the chosen team ceased to pay, until the person has read that or chosen anew. */
export const hasLostPayer = signal(false)

let storedName = 'inferd-payer'

/** Makes a team pay from now on, or the account itself. */
export function choosePayer(team: string | undefined): void {
  localStorage.setItem(storedName, team ?? '')
  payer.value = team
  hasLostPayer.value = false
}

/**
 * Takes over the choice of an account, which another tab may have changed. The account itself pays once its choice is
 * forgotten or the team is none of its own.
 */
export function recallPayer(account: string, teams: readonly { readonly id: string }[]): void {
  storedName = `inferd-payer-${account}`
  const stored = localStorage.getItem(storedName)
  const isGone = (team: string | null | undefined) => Boolean(team) && !teams.some(({ id }) => id === team)
  const isForgotten = stored === null && payer.value !== undefined
  if (isForgotten || isGone(stored) || isGone(payer.value)) losePayer()
  else payer.value = stored || undefined
}

/** Returns the header that makes the chosen team pay for a request of the playground. */
export function payerHeader(path: string): Readonly<Record<string, string>> {
  return payer.value !== undefined && path.startsWith('/dashboard/v1/') ? { 'x-pay-from': payer.value } : {}
}

/** Lets the account pay again if the server refused a request since the team does not pay for it. */
export function notePayer({ code }: { readonly code: string }): void {
  if (payer.value !== undefined && ['not_a_member', 'account_disabled'].includes(code)) losePayer()
}

function losePayer(): void {
  choosePayer(undefined)
  hasLostPayer.value = true
}
