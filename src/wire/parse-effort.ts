import type { Reasoning } from '../core/chat.ts'
import { invalidValue } from './check.ts'

const efforts: Readonly<Record<string, Reasoning>> = {
  none: { mode: 'off' },
  minimal: { mode: 'on', effort: 'minimal' },
  low: { mode: 'on', effort: 'low' },
  medium: { mode: 'on', effort: 'medium' },
  high: { mode: 'on', effort: 'high' },
  // Names of other services for more than the most: the most.
  xhigh: { mode: 'on', effort: 'high' },
  max: { mode: 'on', effort: 'high' },
  ultra: { mode: 'on', effort: 'high' },
}

/** What an effort by its common name means. Throws ApiError 400 for other names; `path` is the field's dotted place. */
export function parseEffort(effort: string, path: string): Reasoning {
  const known = Object.hasOwn(efforts, effort) ? efforts[effort] : undefined
  if (known === undefined) throw invalidValue(path, `one of ${Object.keys(efforts).join(', ')}`)
  return known
}
