/** Receipt and failure of an answer: found at the server, written as JSON and read back. */
import { RequestFailure } from '../../api/failure.ts'
import { loadReceipt, type Receipt } from '../../parts/play/receipt.ts'
import type { Step } from './step.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the receipt of an answer. A request that was refused has none. */
export async function findReceipt({ requestId, failure }: Step): Promise<Receipt | undefined> {
  const isRefused = (failure.value?.facts.status ?? 0) >= 400
  if (requestId === undefined || isRefused) return undefined
  return loadReceipt(requestId).catch(() => undefined)
}

export function writeFailure(failure: RequestFailure | undefined): object | undefined {
  return failure === undefined ? undefined : { message: failure.message, ...failure.facts }
}

/** Reads a failure from a file; undefined if there is none. */
export function readFailure(value: unknown): RequestFailure | undefined {
  const { message, status, code, requestId } = fieldsOf(value)
  if (typeof message !== 'string') return undefined
  return new RequestFailure(message, {
    status: Number(status) || 0,
    code: typeof code === 'string' ? code : '',
    requestId: typeof requestId === 'string' ? requestId : undefined,
    ...{ param: undefined, retryAfterSeconds: undefined },
  })
}

/** Types of the fields of a receipt that are shown; amounts are decimal text. */
const receiptTypes: Readonly<Partial<Record<keyof Receipt, 'text' | 'number' | 'time' | 'amount' | 'yes or no'>>> = {
  ...{ request_id: 'text', finish: 'text', estimated: 'yes or no', cost_usd: 'amount', charged_usd: 'amount' },
  ...{ prompt_tokens: 'number', cached_tokens: 'number', completion_tokens: 'number', reasoning_tokens: 'number' },
  ...{ characters: 'number', audio_seconds: 'number' },
  ...{ queued_ms: 'time', loading_ms: 'time', first_output_ms: 'time', running_ms: 'time' },
}

const isOfType = {
  text: (value: unknown) => typeof value === 'string',
  number: Number.isFinite,
  time: (value: unknown) => value === null || Number.isFinite(value),
  amount: (value: unknown) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
  'yes or no': (value: unknown) => typeof value === 'boolean',
}

/** Reads a receipt from a file; undefined if any field is invalid. */
export function readReceipt(value: unknown): Receipt | undefined {
  const given = fieldsOf(value)
  const isWhole = Object.entries(receiptTypes).every(([name, type]) => isOfType[type](given[name]))
  return isWhole ? (given as unknown as Receipt) : undefined
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
