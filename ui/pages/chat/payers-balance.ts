import { payer } from '../../api/payer.ts'
import { me } from '../../api/session.ts'

/** Returns the balance that pays for the playground: a chosen team's, else the account's. Undefined if none is charged. */
export function payersBalance(): string | undefined {
  const team = me.value?.teams.find(({ id }) => id === payer.value)
  return team === undefined ? me.value?.balanceUsd : (team.balanceUsd ?? undefined)
}
