/** Clock of 12 or 24 hours: the browser's unless the reader has chosen one. */
import { signal } from '@preact/signals'

export const timeFormats = ['system', '24', '12'] as const
export type TimeFormat = (typeof timeFormats)[number]

const storageKey = 'inferd-time-format'

export const timeFormat = signal<TimeFormat>(stored())

function stored(): TimeFormat {
  const value = globalThis.localStorage?.getItem(storageKey)
  return timeFormats.find((known) => known === value) ?? 'system'
}

export function applyTimeFormat(chosen: TimeFormat): void {
  timeFormat.value = chosen
  if (chosen === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, chosen)
}

/** Returns the format of a time with hours, in the chosen clock. */
export function hourFormat(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const hour12 = timeFormat.value === 'system' ? systemHas12 : timeFormat.value === '12'
  const key = JSON.stringify([hour12, parts])
  const made = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...parts, hour12 })
  formats.set(key, made)
  return made
}

const systemHas12 = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12 === true

/** Cache of formats. Creating one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()
