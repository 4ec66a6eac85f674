/** Enforced values of `format`, as patterns that allow only texts of the format, though not all of them. */
import { parsePattern } from './pattern/parse-pattern.ts'
import type { PatternNode } from './pattern/pattern-node.ts'

interface HeldFormat {
  /** Fits the whole text. */
  readonly pattern: string
  /** Maximum characters. */
  readonly most: number
}

/** Returns the pattern of a format; undefined for one that is left to the model. */
export function formatPattern(format: unknown): { readonly node: PatternNode; readonly most: number } | undefined {
  const held = isHeldFormat(format) ? formats[format] : undefined
  return held && { node: parsePattern(`^${held.pattern}$`), most: held.most }
}

export function isHeldFormat(format: unknown): format is string {
  return typeof format === 'string' && Object.hasOwn(formats, format)
}

/** Years have four digits, the first of them not 0: some readers accept no others. */
const leapYears = '([1-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26])00)'
const months = [
  '(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])',
  '(0[469]|11)-(0[1-9]|[12][0-9]|30)',
  '02-(0[1-9]|1[0-9]|2[0-8])',
]
const date = `([1-9][0-9]{3}-(${months.join('|')})|${leapYears}-02-29)`
const clock = '([01][0-9]|2[0-3]):[0-5][0-9]'
const time = `${clock}:[0-5][0-9](\\.[0-9]{3})?(Z|[+-]${clock})`

const octet = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])'
const group = '[0-9a-fA-F]{1,4}'
/** `::` stands for at least two groups: not every reader accepts it for one. */
const addresses = [
  `(${group}:){7}${group}`,
  `(${group}:){1,6}:`,
  `(${group}:){1,5}:${group}`,
  ...[2, 3, 4].map((after) => `(${group}:){1,${6 - after}}(:${group}){1,${after}}`),
  `${group}:(:${group}){1,5}`,
  `:(:${group}){1,6}`,
  '::',
]

const count = '(0|[1-9][0-9]{0,5})'
/** Units may be left out at the ends, but not between others. */
const days = `(${count}Y(${count}M(${count}D)?)?|${count}M(${count}D)?|${count}D)`
const hours = `T(${count}H(${count}M(${count}S)?)?|${count}M(${count}S)?|${count}S)`

const hex = '[0-9a-fA-F]'

/** Longest name part that a grammar permits; every reader accepts it. */
const longestName = 60
const word = '[a-zA-Z0-9_+%\\-]+'
const name = '[a-zA-Z0-9]+'
const label = `${name}(-${name}){0,2}`

const formats: Readonly<Record<string, HeldFormat>> = {
  date: { pattern: date, most: 10 },
  time: { pattern: time, most: 18 },
  'date-time': { pattern: `${date}T${time}`, most: 29 },
  duration: { pattern: `P(${count}W|${days}(${hours})?|${hours})`, most: 44 },
  email: {
    pattern: `${word}(\\.${word})?@(${name}(-${name})?\\.)+[a-zA-Z]{2,}`,
    most: longestName,
  },
  hostname: { pattern: `${label}(\\.${label}){0,3}`, most: longestName },
  ipv4: { pattern: `(${octet}\\.){3}${octet}`, most: 15 },
  ipv6: { pattern: `(${addresses.join('|')})`, most: 39 },
  uuid: { pattern: `${hex}{8}-(${hex}{4}-){3}${hex}{12}`, most: 36 },
}
