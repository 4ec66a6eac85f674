/** Waits for work that cannot be cancelled. The work continues after the wait, and a later failure is ignored. */

/** Returns the work's result. If it takes longer than `limitMs`, returns the result of `onLate`, which may throw. */
export async function within<Result, Late>(
  work: Promise<Result>,
  limitMs: number,
  onLate: () => Late,
): Promise<Result | Late> {
  const { promise: late, resolve, reject } = Promise.withResolvers<Late>()
  const timer = setTimeout(() => {
    try {
      resolve(onLate())
    } catch (error) {
      reject(error)
    }
  }, limitMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the work's result. Rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
