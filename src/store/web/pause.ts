/** Waits so long. Throws the signal's reason as soon as it aborts. */
export async function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, durationMs)
  const onAbort = () => over.reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await over.promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
