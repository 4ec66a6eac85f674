import { expect, test } from 'bun:test'
import { Command } from 'commander'
import { addPageFlags, type PageInput, readPages } from './pages.ts'

test.each([
  [[], 25_001, [10_000, 10_000, 10_000]],
  [['--limit', '15000'], 15_000, [10_000, 5_000]],
  [['--limit', '20000'], 20_000, [10_000, 10_000]],
  [['--limit', '3', '--before', '7'], 3, [3]],
] as const)('a list with the flags %j is read in pages', async (flags, length, limits) => {
  const command = addPageFlags(new Command()).parse(flags, { from: 'user' })
  const asked: PageInput[] = []
  const rows = await readPages(command, async (page) => {
    asked.push(page)
    const end = Number(page.before ?? 25_002)
    return Array.from({ length: Math.min(page.limit, end - 1) }, (_, index) => ({ id: String(end - 1 - index) }))
  })
  expect(rows).toHaveLength(length)
  expect(rows.map(({ id }) => Number(id))).toEqual(rows.map((_, index) => Number(rows[0]?.id) + index))
  expect(asked.map(({ limit }) => limit)).toEqual([...limits])
})
