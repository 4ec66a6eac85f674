import type { Command } from 'commander'
import { nanoToDecimal } from '../core/money.ts'
import type { Io } from './io.ts'
import { wantsJson } from './options.ts'

/** Prints what a command has to say: as JSON where that is wanted, else as `toText` puts it for people. */
export function printAnswer<Answer>(
  command: Command,
  io: Io,
  answer: Answer,
  toText: (answer: Answer) => string,
): void {
  io.out(wantsJson(command) ? jsonLine(answer) : toText(answer))
}

/** JSON in which amounts are exact decimal text: `balanceNanoUsd: 1250000000` becomes `"balanceUsd": "1.25"`. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(inUsd(value))}\n`
}

const nanoSuffix = 'NanoUsd'

function inUsd(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inUsd)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (!key.endsWith(nanoSuffix)) return [key, inUsd(part)]
      return [`${key.slice(0, -nanoSuffix.length)}Usd`, typeof part === 'number' ? nanoToDecimal(part) : part]
    }),
  )
}
