import type { checkIntegrity } from '../../billing/integrity.ts'
import type { Config } from '../../config/config.ts'
import { dollars } from '../../core/money.ts'
import { olderCopies } from '../../db/older-copies.ts'
import type { CheckState } from '../database-check.ts'
import type { Finding } from './check.ts'

interface BooksContext {
  readonly isServerRunning: boolean
  readonly config: Pick<Config, 'data' | 'publicUrl' | 'tls' | 'trustedProxies'>
}

type Report = ReturnType<typeof checkIntegrity>

/**
 * Returns findings on the database and its money. Holds that remain while no server runs come from a server that died,
 * or from a backup of a busy one.
 */
export function booksFindings(report: Report, { isServerRunning, config }: BooksContext): Finding[] {
  const {
    problems,
    accounts,
    ledgerRows,
    balancesNanoUsd,
    openHolds,
    heldNanoUsd,
    limitedToNetworks,
    latestErasureMs,
  } = report
  const totals = `${count(accounts, 'account')} with ${dollars(balancesNanoUsd)}, ${count(ledgerRows, 'row')} in the ledger`
  const holds = `${count(openHolds, 'hold')} of running requests, ${dollars(heldNanoUsd)}`
  const left = `a server that died, or a backup of a busy one, left ${count(openHolds, 'hold')} of ${dollars(heldNanoUsd)}; the next start gives them back`
  const copies = olderCopies(config.data, latestErasureMs)
  return [
    // Totals of 0 with problems mean that the damaged file could not be counted.
    ...(accounts > 0 || problems.length === 0 ? [{ verdict: 'ok', text: totals } as const] : []),
    ...(openHolds > 0 && isServerRunning ? [{ verdict: 'ok', text: holds } as const] : []),
    ...problems.map((text) => ({ verdict: 'bad', text }) as const),
    ...(openHolds > 0 && !isServerRunning ? [{ verdict: 'bad', text: left } as const] : []),
    ...(limitedToNetworks > 0 && isBehindUnknownProxy(config) ? [proxyFinding(limitedToNetworks)] : []),
    ...(copies.length > 0 ? [copiesFinding(copies)] : []),
  ]
}

/** Returns findings on a database whose check may take longer than the doctor waits. */
export function checkFindings(state: CheckState, context: BooksContext): Finding[] {
  if (state.kind === 'read') return booksFindings(state.report, context)
  const seconds = Math.round(state.forMs / 1000)
  return [
    {
      verdict: 'unknown',
      text: `the database has been read for ${seconds} s and is not finished: with millions of requests this takes minutes`,
      advice: 'look again in some minutes; the check goes on',
    },
  ]
}

/** Returns whether all clients seem to have one address: encryption ends elsewhere, and no proxy is trusted. */
function isBehindUnknownProxy({ publicUrl, tls, trustedProxies }: BooksContext['config']): boolean {
  return publicUrl?.startsWith('https:') === true && tls === 'off' && trustedProxies.length === 0
}

function proxyFinding(limited: number): Finding {
  return {
    verdict: 'warn',
    text: `${count(limited, 'account or key', 'accounts or keys')} limited to networks, but every client seems to come from the proxy`,
    advice: "name the proxy's address by trusted_proxies in config.toml",
  }
}

function copiesFinding(copies: readonly string[]): Finding {
  return {
    verdict: 'warn',
    text: `${count(copies.length, 'older copy', 'older copies')} of the database in the data folder still hold who was erased`,
    advice: `delete ${copies.join(', ')}`,
  }
}

function count(amount: number, noun: string, nouns = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : nouns}`
}
