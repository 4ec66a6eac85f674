/** Check of the abilities of a model's servers. */
import type { ModelManifest } from '../../../core/model.ts'
import { type ServerLack, serverLacks, type UpstreamServers } from '../../../core/upstream.ts'
import { type ModelAnswer, serverQuestions } from '../endpoints/ask-server.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { adviceFor } from './advice.ts'
import type { CheckedServer } from './checked-server.ts'
import { judgeServer } from './judge-server.ts'
import { type Probe, type ProbeRow, probes } from './probes.ts'
import { notTried, type Verdict, verdictOfFailure, type Word } from './verdict.ts'

export interface ProbeResult {
  readonly probe: string
  readonly word: Word
  readonly note?: string | undefined
  /** Advice for the operator. */
  readonly advice?: string | undefined
  /** True if the manifest promises it. */
  readonly isPromised: boolean
  readonly lack?: ServerLack | undefined
}

export interface CheckedEndpoint {
  readonly url: string
  /** True if the server did the model's main work, so that missing abilities are certain. */
  readonly isServing: boolean
  /** Most tokens of a prompt and its answer. Undefined if not reported. */
  readonly contextTokens: number | undefined
  readonly results: readonly ProbeResult[]
}

/** Servers checked in parallel. Each gets one request at a time. */
const sideBySide = 8

/** Returns the number of requests that the servers will compute for the check. */
export function countRequests(manifest: ModelManifest, servers: UpstreamServers): number {
  return servers.endpoints.length * probesOf(manifest).filter(({ skip }) => skip?.(manifest) === undefined).length
}

/** Returns all rows for each endpoint, in the manifest's order. Rejects only with the signal's reason. */
export async function checkServers(options: Omit<CheckedServer, 'url'>): Promise<readonly CheckedEndpoint[]> {
  const { endpoints } = options.servers
  const checked: CheckedEndpoint[] = []
  for (let at = 0; at < endpoints.length; at += sideBySide) {
    const some = endpoints.slice(at, at + sideBySide).map((url) => checkEndpoint({ ...options, url }))
    checked.push(...(await Promise.all(some)))
  }
  return checked
}

/** Returns abilities that any server lacks. No request may rely on them, since any server may get it. */
export function lacksOf(checked: readonly CheckedEndpoint[]): readonly ServerLack[] {
  const found = new Set(checked.flatMap(({ results }) => results.flatMap(({ lack }) => lack ?? [])))
  return serverLacks.filter((lack) => found.has(lack))
}

/** Returns the least context that a server reports; undefined if none does. */
export function contextOf(checked: readonly CheckedEndpoint[]): number | undefined {
  const told = checked.flatMap(({ contextTokens }) => contextTokens ?? [])
  return told.length === 0 ? undefined : Math.min(...told)
}

async function checkEndpoint(server: CheckedServer): Promise<CheckedEndpoint> {
  const { manifest, url, servers, key, signal, limitMs } = server
  const own = probesOf(manifest)
  const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  const told: ModelAnswer = await serverQuestions({ ...servers, key }).model(url, within)
  signal.throwIfAborted()
  const facts = judgeServer(told, { manifest, hasKey: key !== undefined })
  const rows: (readonly [ProbeRow, Verdict])[] = []
  let isBlocked = facts.isBlocked
  let isKeyRefused = told.kind === 'refuses'
  let isTaken = false
  for (const probe of own) {
    const skipped = isBlocked ? notTried() : skippedVerdict(probe, manifest)
    const { verdicts, failure } = skipped === undefined ? await ask(probe, server) : allRows(probe, skipped)
    rows.push(...probe.rows.map((row, index) => [row, verdicts[index] ?? notTried()] as const))
    isKeyRefused ||= isOfKey(failure)
    isTaken ||= skipped === undefined && failure === undefined
    isBlocked ||= probe.isFirst === true && verdicts[0]?.word !== 'yes'
  }
  const keyVerdict = isKeyRefused ? facts.keyRefused : isTaken ? facts.keyTaken : notTried()
  const keyRow = { name: 'key accepted', isPromised: () => true }
  const all = [facts.reachable, [keyRow, keyVerdict] as const, ...facts.others, ...rows]
  return {
    url,
    isServing: isTaken && !isBlocked,
    contextTokens: told.kind === 'has' ? told.contextTokens : undefined,
    results: all.map(([row, verdict]) => resultOf(row, verdict, manifest, servers)),
  }
}

interface Asked {
  readonly verdicts: readonly Verdict[]
  readonly failure?: unknown
}

async function ask(probe: Probe, server: CheckedServer): Promise<Asked> {
  try {
    return { verdicts: await probe.ask(server) }
  } catch (failure) {
    server.signal.throwIfAborted()
    const verdict = verdictOfFailure(failure, probe.refused ?? {}, server.key)
    // Only the first row gives the reason.
    return { verdicts: probe.rows.map((_, index) => (index === 0 ? verdict : notTried())), failure }
  }
}

/** Returns whether the server refused the key. */
function isOfKey(failure: unknown): boolean {
  return failure instanceof UpstreamFailure && (failure.status === 401 || failure.status === 403)
}

function skippedVerdict({ skip }: Probe, manifest: ModelManifest): Verdict | undefined {
  const reason = skip?.(manifest)
  return reason === undefined ? undefined : notTried(reason)
}

function allRows({ rows }: Probe, verdict: Verdict): Asked {
  return { verdicts: rows.map(() => verdict) }
}

function probesOf({ type }: ModelManifest): readonly Probe[] {
  return probes.filter(({ types }) => types.includes(type))
}

function resultOf(
  { name, isPromised }: ProbeRow,
  { word, note, advice, lack }: Verdict,
  manifest: ModelManifest,
  { flavor }: UpstreamServers,
): ProbeResult {
  return {
    probe: name,
    word,
    note,
    advice: advice && adviceFor(advice, flavor),
    isPromised: isPromised?.(manifest) ?? false,
    lack,
  }
}
