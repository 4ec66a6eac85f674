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
  const name = `inferd-payer-${account}`
  // Another account signed in elsewhere: the team in memory is not its choice.
  if (name !== storedName) payer.value = undefined
  storedName = name
  const stored = localStorage.getItem(storedName)
  const isGone = (team: string | null | undefined) => Boolean(team) && !teams.some(({ id }) => id === team)
  const isForgotten = stored === null && payer.value !== undefined
  if (isForgotten || isGone(stored) || isGone(payer.value)) losePayer()
  else payer.value = stored || undefined
}

/** Returns the header that makes a team pay for a request of the playground. */
export function payerHeader(path: string, team: string | undefined): Readonly<Record<string, string>> {
  return team !== undefined && path.startsWith('/dashboard/v1/') ? { 'x-pay-from': team } : {}
}

/**
 * Lets the account pay again if the server refused a request since its team does not pay, unless another was chosen
 * meanwhile.
 */
export function notePayer({ code }: { readonly code: string }, team: string | undefined): void {
  if (team === undefined || team !== payer.value) return
  if (['not_a_member', 'account_disabled'].includes(code)) losePayer()
}

function losePayer(): void {
  choosePayer(undefined)
  hasLostPayer.value = true
}
