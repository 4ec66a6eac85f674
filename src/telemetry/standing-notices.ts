/** Notices that rarely change: backups, and reachability of the pages. Pure. */

import { dayMs } from '../core/durations.ts'
import type { EndpointState } from '../core/endpoint-state.ts'
import type { Notice } from '../core/live.ts'

const oldAfterDays = 7

export interface StandingFacts {
  /** Creation time of the latest backup. Undefined if there is none. */
  readonly backupMs: number | undefined
  /** Reason why the last backup failed. */
  readonly backupFailure: string | undefined
  /** Time since which data could be lost, milliseconds UTC. */
  readonly inUseSinceMs: number
  /** Problems found by the last full check. Empty if nothing was checked. */
  readonly findings: readonly string[]
  /** Backends for GPUs that do not compute. */
  readonly backends: readonly { readonly text: string; readonly advice: string }[]
  /** True if other machines can reach the operator's pages over an unencrypted connection. */
  readonly isReadableOnNetwork: boolean
  /** True if programs on this machine may send requests without a key. */
  readonly servesKeyless: boolean
  readonly nowMs: number
}

export const keylessWarning = "programs on this machine need no API key, and the operator's account pays for them"

export function standingNotices(facts: StandingFacts): readonly Notice[] {
  return [
    ...backendNotices(facts),
    ...findingNotices(facts),
    ...backupNotices(facts),
    ...networkNotices(facts),
    ...keylessNotices(facts),
  ]
}

function backendNotices({ backends }: StandingFacts): Notice[] {
  return backends.map(({ text, advice }) => ({
    code: 'backend_failed',
    severity: 'warn',
    text: `${text}. Next step: ${advice}`,
    link: '/admin/system',
  }))
}

function findingNotices({ findings }: StandingFacts): Notice[] {
  const [first] = findings
  if (first === undefined) return []
  const others = findings.length === 1 ? '' : ` (and ${findings.length - 1} more)`
  return [{ code: 'doctor', severity: 'warn', text: `The last check found: ${first}${others}`, link: '/admin/system' }]
}

function backupNotices({ backupMs, backupFailure, inUseSinceMs, nowMs }: StandingFacts): Notice[] {
  const link = '/admin/system'
  if (backupFailure !== undefined) {
    return [{ code: 'backup_failed', severity: 'warn', text: `The last backup failed: ${backupFailure}`, link }]
  }
  const days = Math.floor((nowMs - (backupMs ?? inUseSinceMs)) / dayMs)
  if (days < oldAfterDays) return []
  const text = backupMs === undefined ? 'There is no backup.' : `The latest backup is ${days} days old.`
  return [{ code: 'backup_old', severity: 'warn', text, link }]
}

function networkNotices({ isReadableOnNetwork }: StandingFacts): Notice[] {
  if (!isReadableOnNetwork) return []
  const text =
    "The operator's pages are open to the network without encryption: passwords and keys can be read on the way. Turn on tls, or put a proxy with TLS in front and set public-url."
  return [{ code: 'plain_http', severity: 'warn', text, link: '/admin/system' }]
}

function keylessNotices({ servesKeyless }: StandingFacts): Notice[] {
  if (!servesKeyless) return []
  const text = `${keylessWarning[0]?.toUpperCase()}${keylessWarning.slice(1)} (ollama-keyless).`
  return [{ code: 'keyless', severity: 'warn', text, link: '/admin/system' }]
}

/** Returns a notice per upstream model whose endpoints get no requests. Pure. */
export function endpointNotices(endpoints: readonly EndpointState[]): Notice[] {
  const byModel = Map.groupBy(endpoints, ({ model }) => model)
  return [...byModel].flatMap(([model, ofModel]): Notice[] => {
    const troubled = ofModel.filter(({ state }) => state === 'open' || state === 'out-of-use')
    const [first] = troubled
    if (first === undefined) return []
    const isAll = troubled.length === ofModel.length
    const count = isAll && ofModel.length === 1 ? 'The endpoint' : `${troubled.length} of ${ofModel.length} endpoints`
    const reason = first.outOfUse ?? first.lastFailure?.reason ?? 'it failed'
    const text = `${count} of ${model} cannot be used: ${new URL(first.url).host}, ${reason}.`
    return [{ code: 'upstream_endpoint', severity: isAll ? 'bad' : 'warn', text, link: `/admin/models/${model}` }]
  })
}
