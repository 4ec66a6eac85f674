import type { checkIntegrity } from '../../billing/integrity.ts'
import { dollars } from '../../core/money.ts'
import type { Finding } from './check.ts'

type Report = ReturnType<typeof checkIntegrity>

/**
 * Returns findings on the database and its money. Holds that remain while no server runs come from a server that died,
 * or from a backup of a busy one.
 */
export function booksFindings(report: Report, isServerRunning: boolean): Finding[] {
  const { problems, accounts, ledgerRows, balancesNanoUsd, openHolds, heldNanoUsd } = report
  const totals = `${count(accounts, 'account')} with ${dollars(balancesNanoUsd)}, ${count(ledgerRows, 'row')} in the ledger`
  const holds = `${count(openHolds, 'hold')} of running requests, ${dollars(heldNanoUsd)}`
  const left = `a server that died, or a backup of a busy one, left ${count(openHolds, 'hold')} of ${dollars(heldNanoUsd)}; the next start gives them back`
  return [
    // Totals of 0 with problems mean that the damaged file could not be counted.
    ...(accounts > 0 || problems.length === 0 ? [{ verdict: 'ok', text: totals } as const] : []),
    ...(openHolds > 0 && isServerRunning ? [{ verdict: 'ok', text: holds } as const] : []),
    ...problems.map((text) => ({ verdict: 'bad', text }) as const),
    ...(openHolds > 0 && !isServerRunning ? [{ verdict: 'bad', text: left } as const] : []),
  ]
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
