/** A stretch of the recording. */
export interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** The same in whole milliseconds, so that nothing is rounded twice. */
export interface Times {
  readonly startMs: number
  readonly endMs: number
}

/**
 * The spans with their times rounded to milliseconds, in order: none begins before the one in front of it, ends before it begins, lies beyond the end of the recording, or goes on when the next one begins.
 */
export function withTimes<Each extends Span>(spans: readonly Each[], durationSeconds: number): (Each & Times)[] {
  const endOfAll = Math.round(durationSeconds * 1000)
  const inside = (seconds: number) => Math.min(Math.max(Math.round(seconds * 1000), 0), endOfAll)
  let latest = 0
  const starts = spans.map(({ startSeconds }) => {
    latest = Math.max(latest, inside(startSeconds))
    return latest
  })
  return spans.map((span, index) => {
    const startMs = starts[index] ?? latest
    const nextMs = starts[index + 1] ?? endOfAll
    return { ...span, startMs, endMs: Math.min(Math.max(inside(span.endSeconds), startMs), nextMs) }
  })
}

/** In seconds, as JSON has them. */
export function inSeconds({ startMs, endMs }: Times): { readonly start: number; readonly end: number } {
  return { start: startMs / 1000, end: endMs / 1000 }
}
