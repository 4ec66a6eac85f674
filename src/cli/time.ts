/** UTC to the minute, or `-`. */
export function minuteOf(timeMs: number | null): string {
  return timeMs === null ? '-' : new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')
}
