import { setTimeout } from 'node:timers/promises'

/** Waits for a time in milliseconds. Throws the signal's reason as soon as it aborts. */
export async function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(durationMs, undefined, { signal }).catch((error: unknown) => {
    throw signal?.aborted === true ? signal.reason : error
  })
}
