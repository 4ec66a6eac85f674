/** Values of `format` that an answer is held to: as patterns that allow less than the format does, never other texts. */

/** One way to write a format, whole, with the fewest and the most characters of its texts. */
interface HeldForm {
  readonly pattern: string
  readonly least: number
  readonly most: number
}

export interface TextLengths {
  readonly least: number
  /** Undefined: any. */
  readonly most: number | undefined
}

/** The form that keeps to the lengths, of several the one for the longest texts; undefined where none does. */
export function heldPattern(format: unknown, { least, most }: TextLengths): string | undefined {
  const fits = (form: HeldForm) => form.least >= least && form.most <= (most ?? Number.POSITIVE_INFINITY)
  const found = isHeldFormat(format) ? formats[format]?.find(fits) : undefined
  return found === undefined ? undefined : `^${found.pattern}$`
}

export function isHeldFormat(format: unknown): format is string {
  return typeof format === 'string' && Object.hasOwn(formats, format)
}

/** Years have four digits and no zero in front: some readers know none before. */
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
/** Where `::` stands for at least two groups, which is the only place where every reader takes it. */
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
/** Units may be left out at the ends, not in between. */
const days = `(${count}Y(${count}M(${count}D)?)?|${count}M(${count}D)?|${count}D)`
const hours = `T(${count}H(${count}M(${count}S)?)?|${count}M(${count}S)?|${count}S)`

const hex = '[0-9a-fA-F]'

const formats: Readonly<Record<string, readonly HeldForm[]>> = {
  date: [{ pattern: date, least: 10, most: 10 }],
  time: [{ pattern: time, least: 9, most: 18 }],
  'date-time': [{ pattern: `${date}T${time}`, least: 20, most: 29 }],
  duration: [{ pattern: `P(${count}W|${days}(${hours})?|${hours})`, least: 3, most: 44 }],
  email: [email(24, 3), email(12, 2), email(6, 1)],
  hostname: [hostname(16, 3), hostname(8, 1), hostname(4, 0)],
  ipv4: [{ pattern: `(${octet}\\.){3}${octet}`, least: 7, most: 15 }],
  ipv6: [{ pattern: `(${addresses.join('|')})`, least: 2, most: 39 }],
  uuid: [{ pattern: `${hex}{8}-(${hex}{4}-){3}${hex}{12}`, least: 36, most: 36 }],
}

/** Of one or two words on each side of a dot or hyphen: names of more parts are rare, and mail servers have limits. */
function email(longest: number, domains: number): HeldForm {
  const word = `[a-zA-Z0-9_+%\\-]{1,${longest}}`
  const name = `[a-zA-Z0-9]{1,${longest}}`
  const pattern = `${word}(\\.${word})?@(${name}(-${name})?\\.){1,${domains}}[a-zA-Z]{2,12}`
  return { pattern, least: 6, most: 2 * longest + 2 + domains * (2 * longest + 2) + 12 }
}

function hostname(longest: number, dots: number): HeldForm {
  const name = `[a-zA-Z0-9]{1,${longest}}`
  const label = `${name}(-${name}){0,2}`
  const most = (dots + 1) * (3 * longest + 2) + dots
  return { pattern: dots === 0 ? label : `${label}(\\.${label}){0,${dots}}`, least: 1, most }
}
