/** Months as the server names them: `2026-11`, UTC. */
const words = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Returns text such as "November 2026". */
export function monthText(month: string): string {
  return words.format(startOf(month))
}

export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7)
}

/** Returns the month `count` months later, or earlier if negative. */
export function shiftMonth(month: string, count: number): string {
  const start = startOf(month)
  start.setUTCMonth(start.getUTCMonth() + count)
  return monthOf(start.getTime())
}

export function isMonth(text: string | null): text is string {
  return text !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
}

/** Returns the bounds of a month in milliseconds UTC. The end belongs to the next month. */
export function monthSpan(month: string): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: startOf(month).getTime(), toMs: startOf(shiftMonth(month, 1)).getTime() }
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`)
}
