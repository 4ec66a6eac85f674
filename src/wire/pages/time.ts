/** Returns a time as ISO 8601. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
