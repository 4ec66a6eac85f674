/** Errors for requests that were not given to an engine, as clients see them. */
import { ApiError } from '../core/errors.ts'
import { sizeText } from '../core/quantities.ts'
import type { Rejection, RejectionCode, Shortage } from '../scheduler/effects.ts'
import { overloaded } from './shared/engine-errors.ts'

/** Returns why the scheduler did not admit a request. */
export function rejected(modelId: string, { code, retryAfterSeconds, facts }: Rejection): ApiError {
  if (code === 'overloaded' && facts.expectedWaitMs === undefined) return overloaded(modelId)
  const cause = facts.reason === undefined ? undefined : new Error(facts.reason)
  const message = rejectionTexts[code](`Model '${modelId}'`, facts)
  return new ApiError('unavailable', message, { code, retryAfterSeconds, cause })
}

const rejectionTexts: Readonly<Record<RejectionCode, (model: string, facts: Rejection['facts']) => string>> = {
  model_loading: (model, { expectedWaitMs }) =>
    `${model} is not loaded yet${expectedWaitMs === undefined ? '' : `, which takes about ${seconds(expectedWaitMs)} more`}. Try again, or wait longer.`,
  overloaded: (model) => `${model} is busy: too many requests wait for it already. Try again in a moment.`,
  insufficient_memory: (model, { shortage }) =>
    `${model} ${shortage === undefined ? 'does not fit into memory' : shortageText(shortage)}. Try again later, use a smaller model, or ask the operator for room.`,
  model_unavailable: (model) =>
    `${model} could not be loaded. The server's log and 'inferd ps' tell its operator more.`,
}

function shortageText({ pool, needBytes, roomBytes, foreignBytes, holders }: Shortage): string {
  const held = holders.map(({ model, bytes }) => `'${model}' holds ${sizeText(bytes)}`)
  const others = foreignBytes > 0 ? [`other programs use ${sizeText(foreignBytes)}`] : []
  const why = [...held, ...others].join(', ')
  return `needs ${sizeText(needBytes)} of ${poolName(pool)}, where models may use ${sizeText(roomBytes)}${why === '' ? '' : `: ${why}`}`
}

function poolName(pool: string): string {
  return pool === 'host' ? "the host's memory" : `the memory of ${pool}`
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`
}
