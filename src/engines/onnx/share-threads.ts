export interface ThreadShares {
  readonly sessions: number
  readonly threadsPerSession: number
}

/** Two compute one text almost twice as fast as one; more are better spent on another text. */
const threadsEnough = 2

/** Each session has the weights for itself: so much may be spent on having more than one. */
const mostCopiedBytes = 2 ** 30

/**
 * How a model's CPU threads are used. Sessions side by side compute more than one with all threads, since batches are small
 * and threads wait for each other: two with one thread did 1.1 to 1.5 times what one with two did. Large models have one.
 */
export function shareThreads(threads: number, modelBytes: number): ThreadShares {
  const affordable = 1 + Math.floor(mostCopiedBytes / modelBytes)
  const sessions = Math.max(1, Math.min(affordable, Math.floor(threads / threadsEnough)))
  return { sessions, threadsPerSession: Math.max(1, Math.floor(threads / sessions)) }
}
