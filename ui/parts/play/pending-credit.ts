import { me, status } from '../../api/session.ts'
import { moneyText } from '../money-text.ts'

/** Returns the starter credit that the account gets by confirming its address, as text; undefined if there is none. */
export function pendingCredit(): string | undefined {
  const credit = status.value?.starter_credit_usd
  const own = me.value
  const isPending = own !== undefined && !own.isConfirmed && own.email !== null && !own.isUnmetered
  return isPending && credit !== undefined && credit !== null ? moneyText(credit).text : undefined
}
