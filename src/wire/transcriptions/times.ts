/** A stretch of the recording. */
interface Span {
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Times in whole milliseconds, so that nothing is rounded twice. */
export interface Times {
  readonly startMs: number
  readonly endMs: number
}

/** Yields the spans with times in whole milliseconds, in order, within the recording, without overlaps. */
export function* withTimes<Each extends Span>(spans: Iterable<Each>, durationSeconds: number): Generator<Each & Times> {
  const endOfAll = Math.round(durationSeconds * 1000)
  const inside = (seconds: number) => Math.min(Math.max(Math.round(seconds * 1000), 0), endOfAll)
  let last: (Each & Times) | undefined
  for (const span of spans) {
    const startMs = Math.max(last?.startMs ?? 0, inside(span.startSeconds))
    if (last !== undefined) yield { ...last, endMs: Math.min(last.endMs, startMs) }
    last = { ...span, startMs, endMs: Math.max(inside(span.endSeconds), startMs) }
  }
  if (last !== undefined) yield last
}

/** Returns the times in seconds, as JSON has them. */
export function inSeconds({ startMs, endMs }: Times): { readonly start: number; readonly end: number } {
  return { start: startMs / 1000, end: endMs / 1000 }
}
