import { invalidValue } from '../check.ts'

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // the micro sign
  μs: 1e-3, // the Greek letter
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

const number = String.raw`(?:\d+(?:\.\d*)?|\.\d+)`
const unit = '(?:ns|us|µs|μs|ms|s|m|h)'
const duration = new RegExp(`^([+-]?)((?:${number}${unit})+)$`)
const part = new RegExp(`(${number})(${unit})`, 'g')

/**
 * Returns `keep_alive` in milliseconds. It is a number of seconds, a duration such as "5m" or "1h30m", or the text of a
 * number. Negative values mean forever, which is Infinity. Undefined if not sent. Throws ApiError 400.
 */
export function parseKeepAlive(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const ms =
    typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? readDuration(value.trim()) : undefined
  if (ms === undefined) throw invalidValue('keep_alive', 'a number of seconds, or a duration such as "5m" or "-1"')
  return ms < 0 ? Number.POSITIVE_INFINITY : ms
}

function readDuration(text: string): number | undefined {
  if (/^[+-]?\d{1,15}(\.\d*)?$/.test(text)) return Number(text) * 1_000
  const [, sign, parts = ''] = (text.length <= 100 && duration.exec(text)) || []
  if (parts === '') return undefined
  const ms = [...parts.matchAll(part)].reduce((sum, [, count, of = '']) => sum + Number(count) * (unitsMs[of] ?? 0), 0)
  return sign === '-' ? -ms : ms
}
