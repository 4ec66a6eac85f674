interface ThreadShares {
  readonly sessions: number
  readonly threadsPerSession: number
}

/** Most bytes of weight copies, not counting the first session's. */
const copiedBytesLimit = 2 ** 30

/**
 * Distributes a model's CPU threads over sessions. Several small sessions compute more than one large session, since
 * batches are small and threads wait for each other: two sessions of one thread did 1.1 to 1.5 times the work of one
 * session with two. Large models have one session. `together` is the least number of threads per input.
 */
export function shareThreads(threads: number, modelBytes: number, together: number): ThreadShares {
  const affordable = 1 + Math.floor(copiedBytesLimit / modelBytes)
  const sessions = Math.max(1, Math.min(affordable, Math.floor(threads / together)))
  return { sessions, threadsPerSession: Math.max(1, Math.floor(threads / sessions)) }
}
