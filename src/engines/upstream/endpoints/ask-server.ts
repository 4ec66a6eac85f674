/** Questions to a server: whether it works, and whether it serves the model. */

import { errorText } from '../../../core/error-text.ts'
import { countIn, fieldOf, type JsonValue } from '../../../core/json.ts'
import { printableLine } from '../../../core/printable.ts'
import type { UpstreamServers } from '../../../core/upstream.ts'
import { flavors } from '../flavors.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../http/failure.ts'
import { openAnswer } from '../http/open-answer.ts'
import { defaultLimits } from '../http/request.ts'
import { requestJson } from '../http/request-json.ts'
import { type ServerPath, urlOf } from '../server-path.ts'

/** Server's answer about the model. `contextTokens`: most tokens of a prompt and its answer. */
export type ModelAnswer =
  | { readonly kind: 'has'; readonly contextTokens?: number | undefined }
  /** The server lacks the model. `ids`: models that it serves instead. */
  | { readonly kind: 'lacks'; readonly ids: readonly string[] }
  | { readonly kind: 'refuses'; readonly status: number }
  /** The server works but has no list of models. */
  | { readonly kind: 'no-list' }
  | { readonly kind: 'silent'; readonly reason: string }

export interface ServerQuestions {
  /** Asks about the model. Never rejects. */
  model(url: string, signal: AbortSignal): Promise<ModelAnswer>
  /** Rejects with an Error if the server does not work. */
  health(url: string, signal: AbortSignal): Promise<void>
}

const limitBytes = 4 * 1024 * 1024
const shownIds = 5

/** Returns the questions to the servers of one model. */
export function serverQuestions({
  flavor,
  model,
  key,
}: Pick<UpstreamServers, 'flavor' | 'model'> & { readonly key: string | undefined }): ServerQuestions {
  const { health, properties, keyed } = flavors[flavor]
  const request = (url: string, path: ServerPath, signal: AbortSignal) => ({
    ...{ url: urlOf(url, path), key, signal, limits: defaultLimits },
  })
  const json = (url: string, path: ServerPath, signal: AbortSignal) =>
    requestJson({ ...request(url, path, signal), method: 'GET' }, limitBytes)
  const slotContext = async (url: string, signal: AbortSignal) => {
    if (properties === undefined) return undefined
    const told = await json(url, properties, signal).catch(() => undefined)
    return countIn(fieldOf(fieldOf(told, 'default_generation_settings'), 'n_ctx'))
  }
  const keyRefusal = async (url: string, signal: AbortSignal) => {
    if (keyed === undefined) return undefined
    try {
      await json(url, keyed, signal)
    } catch (error) {
      const answer = failureAnswer(error)
      if (answer.kind === 'refuses') return answer
    }
    return undefined
  }
  return {
    model: async (url, signal) => {
      try {
        const answer = readModels(await json(url, { path: '/models' }, signal), model)
        if (answer.kind !== 'has') return answer
        const refusal = await keyRefusal(url, signal)
        if (refusal !== undefined) return refusal
        return { kind: 'has', contextTokens: (await slotContext(url, signal)) ?? answer.contextTokens }
      } catch (error) {
        return failureAnswer(error)
      }
    },
    health: async (url, signal) => {
      try {
        const { exchange } = await openAnswer('GET', request(url, health, signal))
        exchange.close()
      } catch (error) {
        if (!isAlive(error)) throw error
      }
    },
  }
}

/** Reads a list of models in any server's form. */
export function readModels(answer: unknown, model: string): ModelAnswer {
  const rows = fieldOf(answer, 'data')
  if (!Array.isArray(rows)) return { kind: 'no-list' }
  const row = rows.find((each) => fieldOf(each, 'id') === model || listOf(fieldOf(each, 'aliases')).includes(model))
  if (row === undefined) return { kind: 'lacks', ids: rows.flatMap((each) => idOf(each) ?? []).slice(0, shownIds) }
  // Fields of vLLM and SGLang, of inferd, and of llama-server.
  const told = [
    fieldOf(row, 'max_model_len'),
    fieldOf(row, 'context_length'),
    fieldOf(fieldOf(row, 'meta'), 'n_ctx'),
    fieldOf(fieldOf(row, 'meta'), 'n_ctx_train'),
  ]
  const contextTokens = told.map(countIn).find((tokens) => tokens !== undefined)
  return { kind: 'has', contextTokens }
}

function failureAnswer(error: unknown): ModelAnswer {
  if (!isAlive(error)) return { kind: 'silent', reason: errorText(error) }
  const { status = 0 } = error
  return status === 401 || status === 403 ? { kind: 'refuses', status } : { kind: 'no-list' }
}

/** Failures that prove a working server without support for the question. Requests will show whether it serves them. */
const aliveKinds: readonly UpstreamFailureKind[] = ['redirect', 'malformed', 'too-large']

function isAlive(error: unknown): error is UpstreamFailure {
  if (!(error instanceof UpstreamFailure)) return false
  const { kind, status = 0 } = error
  return aliveKinds.includes(kind) || (kind === 'status' && status >= 400 && status < 500)
}

function idOf(row: JsonValue): string | undefined {
  const id = fieldOf(row, 'id')
  return typeof id === 'string' ? printableLine(id.slice(0, 100)) : undefined
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}
