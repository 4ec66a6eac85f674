/** Receipt and failure of an answer: found at the server, written as JSON and read back. */
import { RequestFailure } from '../../api/failure.ts'
import { loadReceipt, type ReceiptFigures } from '../../parts/play/receipt.ts'
import { fields, text } from './json-fields.ts'
import type { Step } from './step.ts'

/** Returns the receipt of an answer. A request that was refused has none. */
export async function findReceipt({ requestId, failure }: Step): Promise<ReceiptFigures | undefined> {
  const isRefused = (failure.value?.facts.status ?? 0) >= 400
  if (requestId === undefined || isRefused) return undefined
  return loadReceipt(requestId).catch(() => undefined)
}

export function writeFailure(failure: RequestFailure | undefined): object | undefined {
  return failure === undefined ? undefined : { message: failure.message, ...failure.facts }
}

/** Reads a failure from a file; undefined if there is none. */
export function readFailure(value: unknown): RequestFailure | undefined {
  const { message, status, code, requestId } = fields(value)
  if (typeof message !== 'string') return undefined
  return new RequestFailure(message, {
    status: Number(status) || 0,
    code: text(code),
    requestId: typeof requestId === 'string' ? requestId : undefined,
    ...{ param: undefined, retryAfterSeconds: undefined },
  })
}

/** Receipt in a file. Amounts are decimal text. */
interface FileReceipt {
  readonly request_id: string
  readonly finish: ReceiptFigures['finish']
  readonly estimated: boolean
  readonly cost_usd: string
  readonly charged_usd: string
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly characters: number
  readonly audio_seconds: number
  readonly queued_ms: number | null
  readonly loading_ms: number | null
  readonly first_output_ms: number | null
  readonly running_ms: number | null
}

const receiptTypes: Readonly<Record<keyof FileReceipt, keyof typeof isOfType>> = {
  ...{ request_id: 'text', finish: 'text', estimated: 'yes or no', cost_usd: 'amount', charged_usd: 'amount' },
  ...{ prompt_tokens: 'number', cached_tokens: 'number', completion_tokens: 'number', reasoning_tokens: 'number' },
  ...{ characters: 'number', audio_seconds: 'number' },
  ...{ queued_ms: 'time', loading_ms: 'time', first_output_ms: 'time', running_ms: 'time' },
}

export function writeReceipt(receipt: ReceiptFigures | undefined): FileReceipt | undefined {
  if (receipt === undefined) return undefined
  const { used } = receipt
  return {
    request_id: receipt.requestId,
    finish: receipt.finish,
    estimated: receipt.isEstimated,
    cost_usd: receipt.costUsd,
    charged_usd: receipt.chargedUsd,
    prompt_tokens: used.promptTokens,
    cached_tokens: used.cachedTokens,
    completion_tokens: used.completionTokens,
    reasoning_tokens: used.reasoningTokens,
    characters: used.characters,
    audio_seconds: used.audioMs / 1_000,
    queued_ms: receipt.queuedMs,
    loading_ms: receipt.loadingMs,
    first_output_ms: receipt.firstOutputMs,
    running_ms: receipt.runningMs,
  }
}

const isOfType = {
  text: (value: unknown) => typeof value === 'string',
  number: Number.isFinite,
  time: (value: unknown) => value === null || Number.isFinite(value),
  amount: (value: unknown) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
  'yes or no': (value: unknown) => typeof value === 'boolean',
}

/** Reads a receipt from a file; undefined if any field is invalid. */
export function readReceipt(value: unknown): ReceiptFigures | undefined {
  const given = fields(value)
  if (!isFileReceipt(given)) return undefined
  return {
    requestId: given.request_id,
    finish: given.finish,
    isEstimated: given.estimated,
    costUsd: given.cost_usd,
    chargedUsd: given.charged_usd,
    used: {
      promptTokens: given.prompt_tokens,
      cachedTokens: given.cached_tokens,
      completionTokens: given.completion_tokens,
      reasoningTokens: given.reasoning_tokens,
      characters: given.characters,
      audioMs: Math.round(given.audio_seconds * 1_000),
      images: 0,
      searches: null,
    },
    queuedMs: given.queued_ms,
    loadingMs: given.loading_ms,
    firstOutputMs: given.first_output_ms,
    runningMs: given.running_ms,
  }
}

function isFileReceipt(given: Record<string, unknown>): given is Record<string, unknown> & FileReceipt {
  return Object.entries(receiptTypes).every(([name, type]) => isOfType[type](given[name]))
}
