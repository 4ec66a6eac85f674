export interface ThreadShares {
  readonly sessions: number
  readonly threadsPerSession: number
}

/** Each session has its own copy of the weights; this limits the copies beside the first. */
const copiedBytesLimit = 2 ** 30

/**
 * How a model's CPU threads are used. Several sessions compute more than one with all threads, since batches are small and
 * threads wait for each other: two of one thread did 1.1 to 1.5 times what one of two did. Large models have one session.
 * `together`: threads that compute one input, at least.
 */
export function shareThreads(threads: number, modelBytes: number, together: number): ThreadShares {
  const affordable = 1 + Math.floor(copiedBytesLimit / modelBytes)
  const sessions = Math.max(1, Math.min(affordable, Math.floor(threads / together)))
  return { sessions, threadsPerSession: Math.max(1, Math.floor(threads / sessions)) }
}
