import type { Command } from 'commander'
import { optionText, wholeNumberOption } from './options.ts'

const pageRows = 10_000

export interface PageInput {
  readonly limit: number
  readonly before: string | undefined
}

/** Adds the flags that limit a list. Without them the whole list is shown. */
export function addPageFlags(command: Command): Command {
  return command
    .option('--limit <n>', 'only the latest n (default: all)')
    .option('--before <id>', 'only those that were made before this one')
}

/** Returns the rows of a paged list, the oldest first. */
export async function readPages<Row extends { readonly id: string }>(
  command: Command,
  read: (page: PageInput) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const wanted = wholeNumberOption(command, 'limit') ?? Number.POSITIVE_INFINITY
  const rows: Row[] = []
  let before = optionText(command, 'before')
  for (;;) {
    const page = await read({ limit: Math.min(wanted - rows.length, pageRows), before })
    rows.push(...page)
    before = page.at(-1)?.id
    if (page.length < pageRows || rows.length >= wanted) return rows.reverse()
  }
}
