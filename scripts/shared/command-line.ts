import { parseArgs } from 'node:util'

type Flag = string | number | boolean
type Flags<Defaults> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends string
    ? string
    : Defaults[Name] extends number
      ? number
      : boolean
}

/**
 * Reads `--some-name value` for each `someName` in `defaults`, whose types the values must have. Throws on unknown
 * flags, and on numbers that are negative or invalid.
 */
export function readFlags<const Defaults extends Record<string, Flag>>(
  defaults: Defaults,
  args = process.argv.slice(2),
): Flags<Defaults> {
  const flags = Object.entries(defaults).map(([name, usual]) => {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return { name, flag, usual, type: typeof usual === 'boolean' ? 'boolean' : 'string' } as const
  })
  const { values } = parseArgs({ args, options: Object.fromEntries(flags.map(({ flag, type }) => [flag, { type }])) })
  const read = flags.map(({ name, flag, usual }) => {
    const given = values[flag] ?? usual
    return [name, typeof usual === 'number' ? readNumber(flag, given) : given]
  })
  return Object.fromEntries(read) // each value has the type of its default
}

function readNumber(flag: string, value: unknown): number {
  const number = Number(value)
  if (!(number >= 0)) throw new Error(`--${flag} ${value}: not a number of 0 or more`)
  return number
}

/** Returns the numbers of a list such as `1,8,64`. Throws if one is not a positive whole number. */
export function readCounts(name: string, list: string): number[] {
  return list.split(',').map((item) => {
    const count = Number(item)
    if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} ${item}: not a positive whole number`)
    return count
  })
}

/** Splits a command line without quotes into its arguments. */
export function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '')
}

/**
 * Ends the process with the exit code of `main`, or after an error with 2, its message and the usage. With `--help`
 * only prints the usage.
 */
export function runScript(usage: string, main: () => Promise<number>): void {
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  main().then(
    (code) => process.exit(code),
    (error: unknown) => {
      console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
      process.exit(2)
    },
  )
}
