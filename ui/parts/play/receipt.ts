import { useEffect, useState } from 'preact/hooks'
import type { Receipt } from '../../../src/wire/pages/requests.ts'
import { RequestFailure } from '../../api/failure.ts'
import { request } from '../../api/request.ts'

export type { Receipt }

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
