import { useEffect, useState } from 'preact/hooks'
import { RequestFailure } from '../../api/failure.ts'
import { request } from '../../api/request.ts'

/** GET /dashboard/api/requests/{id}, as far as the playground shows it. */
export interface Receipt {
  readonly request_id: string
  readonly status: 'completed' | 'cancelled' | 'failed'
  readonly finish: string
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly characters: number
  readonly audio_seconds: number
  readonly cost_usd: string
  readonly charged_usd: string
  readonly queued_ms: number | null
  readonly loading_ms: number | null
  readonly first_output_ms: number | null
  readonly running_ms: number | null
}

/** A request that was cancelled is settled a little later. */
const delaysMs = [0, 150, 300, 600, 1_200, 2_400, 4_800]

/** What a request came to; undefined where it left no record, because nothing was computed. Rejects with RequestFailure. */
export async function loadReceipt(requestId: string, signal?: AbortSignal): Promise<Receipt | undefined> {
  for (const delayMs of delaysMs) {
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    try {
      return await request<Receipt>(`/dashboard/api/requests/${encodeURIComponent(requestId)}`, { signal })
    } catch (error) {
      const isUnknown = error instanceof RequestFailure && error.facts.code === 'request_not_found'
      if (!isUnknown) throw error
    }
  }
  return undefined
}

/** The receipt of a request that has ended, once it is there. */
export function useReceipt(requestId: string | undefined): Receipt | undefined {
  const [receipt, setReceipt] = useState<Receipt>()
  useEffect(() => {
    setReceipt(undefined)
    if (requestId === undefined) return
    const left = new AbortController()
    void loadReceipt(requestId, left.signal).then(
      (loaded) => left.signal.aborted || setReceipt(loaded),
      () => undefined, // The figures are missing then; the answer is there.
    )
    return () => left.abort()
  }, [requestId])
  return receipt
}

/** From the first output to the last, undefined where nobody measured it. */
export function outputMs({ queued_ms, loading_ms, first_output_ms, running_ms }: Receipt): number | undefined {
  if (running_ms === null) return undefined
  const waitedMs = (queued_ms ?? 0) + (loading_ms ?? 0)
  return waitedMs + running_ms - (first_output_ms ?? waitedMs)
}
