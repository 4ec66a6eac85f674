/** Fields of a request's record that most tests ignore: it ended at once, and its usage was counted. */
export const endedRecord = { state: 'ended', arrivedAtMs: 0, durationMs: 0, isEstimated: false } as const
