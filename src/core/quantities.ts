/** Sizes and durations as people write them: `24GB`, `512MiB`, `30m`. */

const bytesOf: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

const msOf: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the bytes of a size such as `1.5GB` or `1500000000`. Undefined if the text is not a size. */
export function readSize(text: string): number | undefined {
  const bytes = readQuantity(text, bytesOf, 'b')
  return bytes === undefined ? undefined : Math.round(bytes)
}

/** Returns the milliseconds of a duration such as `90s`. A number without a unit is not a duration. */
export function readDuration(text: string): number | undefined {
  return readQuantity(text, msOf)
}

function readQuantity(text: string, units: Readonly<Record<string, number>>, withoutUnit = ''): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text) ?? []
  const factor = units[unit === '' ? withoutUnit : unit.toLowerCase()]
  const value = factor === undefined ? Number.NaN : Number(number) * factor
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined
}

const sizeUnits = ['TB', 'GB', 'MB', 'kB', 'TiB', 'GiB', 'MiB', 'KiB']
const durationUnits = ['d', 'h', 'm', 's']

/** Returns a size as written in settings: `24GB`, `2GiB`, `123`. */
export function writeSize(bytes: number): string {
  const unit = sizeUnits.find((each) => bytes > 0 && bytes % (bytesOf[each.toLowerCase()] ?? 0) === 0)
  return unit === undefined ? String(bytes) : `${bytes / (bytesOf[unit.toLowerCase()] ?? 1)}${unit}`
}

/** Returns a duration as written in settings: `30m`, `1.5s`, `never`. */
export function writeDuration(ms: number): string {
  if (ms === Number.POSITIVE_INFINITY) return 'never'
  const unit = durationUnits.find((each) => ms > 0 && ms % (msOf[each] ?? 0) === 0) ?? 's'
  return `${ms / (msOf[unit] ?? 1)}${unit}`
}

/** Returns rounded bytes for people: `21.3 GB`, `512 MB`. */
export function sizeText(bytes: number): string {
  const unit = sizeUnits.slice(0, 4).find((each) => bytes >= (bytesOf[each.toLowerCase()] ?? 0)) ?? 'B'
  const number = bytes / (bytesOf[unit.toLowerCase()] ?? 1)
  return `${number.toFixed(number < 100 && unit !== 'B' ? 1 : 0).replace(/\.0$/, '')} ${unit}`
}
