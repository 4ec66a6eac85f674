/** Fields of a request's record that most tests do not look at: it ended at once, and its use was counted. */
export const endedRecord = { state: 'ended', arrivedAtMs: 0, durationMs: 0, isEstimated: false } as const
