import { useEffect, useState } from 'preact/hooks'
import type { AccountAnswers } from '../../../src/operations/account-answers.ts'
import { RequestFailure } from '../../api/failure.ts'
import { perform } from '../../api/own-operation.ts'

export type Receipt = AccountAnswers['usage-receipt']

/** Part of a receipt that is shown below an answer. */
export type ReceiptFigures = Pick<
  Receipt,
  | 'requestId'
  | 'finish'
  | 'used'
  | 'isEstimated'
  | 'costUsd'
  | 'chargedUsd'
  | 'queuedMs'
  | 'loadingMs'
  | 'firstOutputMs'
  | 'runningMs'
>

/** Delays between attempts: a cancelled request is settled a little later. */
const delaysMs = [0, 150, 300, 600, 1_200, 2_400, 4_800]

/**
 * Returns a request's receipt; undefined if nothing was computed, which leaves no record. Rejects with RequestFailure.
 */
export async function loadReceipt(requestId: string, signal?: AbortSignal): Promise<Receipt | undefined> {
  for (const delayMs of delaysMs) {
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    try {
      return await perform('usage-receipt', { request: requestId }, { signal })
    } catch (error) {
      const isUnknown = error instanceof RequestFailure && error.facts.code === 'request_not_found'
      if (!isUnknown) throw error
    }
  }
  return undefined
}

/** Returns the receipt of a finished request; undefined until it is loaded. */
export function useReceipt(requestId: string | undefined): Receipt | undefined {
  const [receipt, setReceipt] = useState<Receipt>()
  useEffect(() => {
    setReceipt(undefined)
    if (requestId === undefined) return
    const left = new AbortController()
    void loadReceipt(requestId, left.signal).then(
      (loaded) => left.signal.aborted || setReceipt(loaded),
      () => undefined, // Only the figures are missing; the answer is complete.
    )
    return () => left.abort()
  }, [requestId])
  return receipt
}

/** Returns the time from the first output to the last; undefined if not measured. */
export function outputMs({ queuedMs, loadingMs, firstOutputMs, runningMs }: ReceiptFigures): number | undefined {
  if (runningMs === null) return undefined
  const waitedMs = (queuedMs ?? 0) + (loadingMs ?? 0)
  return waitedMs + runningMs - (firstOutputMs ?? waitedMs)
}
