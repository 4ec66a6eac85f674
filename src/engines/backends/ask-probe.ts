/** Runs one probe in a child process, and reads why it failed. */

import { errorText } from '../../core/error-text.ts'
import { askChild, NoAnswer } from '../host/ask-child.ts'
import type { EngineSpawn } from '../host/spawn-engine.ts'
import type { BackendCandidate, BackendVerdict, RuntimePaths } from '../protocol/backend.ts'
import { protocolVersion } from '../protocol/messages.ts'
import { type BackendEvidence, reasonOf } from './reasons.ts'

export interface ProbeOptions {
  readonly spawn: EngineSpawn
  readonly runtime: RuntimePaths
  readonly limitMs: number
  /** Facts of the machine and the library that explain a failure. */
  readonly facts: Omit<BackendEvidence, 'lines' | 'exit' | 'hungAfterMs'>
  readonly signal: AbortSignal
  /** Index of the only device to probe. Absent probes all. */
  readonly deviceIndex?: number
}

/** Settles when the child is gone. Rejects only with the signal's reason. */
export async function askProbe(candidate: BackendCandidate, options: ProbeOptions): Promise<BackendVerdict> {
  const { spawn, runtime, limitMs, facts, signal, deviceIndex } = options
  const question = {
    type: 'probe',
    version: protocolVersion,
    kind: candidate.kind,
    runtime,
    candidate,
    deviceIndex,
  } as const
  const startedMs = performance.now()
  try {
    const { devices } = await askChild(spawn, question, { answer: 'probed', limitMs, signal })
    return { state: 'computes', devices, tookMs: Math.round(performance.now() - startedMs) }
  } catch (error) {
    signal.throwIfAborted()
    const evidence = evidenceOf(error)
    const { reason, nextStep, isOfModel } = reasonOf({ ...facts, ...evidence })
    const mayPass = isOfModel === true || evidence.exit === 'signal SIGKILL'
    return { state: 'fails', reason, nextStep, lines: evidence.lines, ...(mayPass && { mayPass }) }
  }
}

function evidenceOf(error: unknown): Pick<BackendEvidence, 'lines' | 'exit' | 'hungAfterMs'> {
  if (error instanceof NoAnswer) return error.evidence
  return { lines: [errorText(error)] }
}
