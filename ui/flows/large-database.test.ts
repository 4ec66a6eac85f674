import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Response } from 'playwright-core'
import { fillDatabase } from '../../src/testing/large-database.ts'
import { memberPages, operatorPages } from '../testing/large-pages.ts'
import { pageStates } from '../testing/page-states.ts'
import { openSite } from '../testing/site.ts'
import { sizes, type Visit } from '../testing/visit.ts'

const site = openSite({ needsWholeBrowser: true })
// The database is filled before the server starts.
const { busiestAccount, session } = fillDatabase(join(site.inferd.dataDir, 'inferd.db'))

const maximumRows = 100
/** Rows per day in a chart by day: five, and one for all others */
const maximumSumsPerDay = 6
/** Time limit on busy machines. `bun run bench:operator` measures how far below 1 s an idle machine stays. */
const busyLimitMs = 6_000

test('With 100,000 requests, 10,000 accounts and 10,000 vouchers in the database every page is there within 1 s and never asks for more than 100 rows.', async () => {
  const slow: string[] = []
  const tooLong: string[] = []
  let fullLists = 0
  const visitAll = async (visit: Visit, addresses: readonly string[]) => {
    const { page } = visit
    const reads: Promise<void>[] = []
    const read = async (response: Response) => {
      const { name, asked, rows, maximum } = await countRows(response)
      if (asked > maximumRows || rows > maximum) tooLong.push(`${name}: asked for ${asked}, got ${rows}`)
      if (rows > 50) fullLists += 1
    }
    page.on('response', (response) => reads.push(read(response)))
    for (const address of addresses) {
      await pageStates.ready(page, address)
      const tookMs = await page.evaluate(() => performance.now())
      if (tookMs > busyLimitMs) slow.push(`${address}: ${tookMs.toFixed(0)} ms`)
      await Promise.all(reads.splice(0))
      for (const [name, size] of Object.entries(sizes)) {
        await page.setViewportSize(size)
        await visit.checkWidth(`${address}, ${name}`)
      }
    }
  }
  await site.visit({ account: await site.operator() }, async (visit) => {
    // The doctor reads the whole database, which takes long. The page shows its last findings.
    const options = { data: {}, headers: { origin: site.inferd.url }, timeout: 60_000 }
    expect((await visit.context.request.post('/admin/api/operations/doctor', options)).status()).toBe(200)
    await visitAll(visit, operatorPages(busiestAccount))
  })
  await site.visit({ account: { session } }, (visit) => visitAll(visit, memberPages()))
  expect(tooLong).toEqual([])
  expect(slow).toEqual([])
  expect(fullLists).toBeGreaterThan(15)
}, 240_000)

/** Returns the number of requested rows, and of rows in the longest list of the answer. */
async function countRows(response: Response) {
  const request = response.request()
  const { pathname, search, searchParams } = new URL(request.url())
  const body = request.postData() ?? ''
  const name = `${pathname}${search} ${body}`
  if (!/\/(dashboard|admin)\/(api|v1)\//.test(pathname) || pathname === '/admin/api/events') {
    return { name, asked: 0, rows: 0, maximum: 0 }
  }
  const asked = Number(searchParams.get('limit') ?? /"limit":(\d+)/.exec(body)?.[1] ?? 0)
  // The browser drops answers that arrive after the page was left.
  const answer: unknown = JSON.parse(await response.text().catch(() => 'null'))
  const rows = Math.max(0, ...listsIn(answer).map(({ length }) => length))
  const isByDay = /"by":\["day"|by=day/.test(name)
  const isReport = pathname.endsWith('/usage') || pathname.endsWith('/usage-report')
  // A report has one row more than requested, for all others.
  const maximum = isByDay ? maximumSumsPerDay * daysIn(answer) : maximumRows + (isReport ? 1 : 0)
  return { name, asked, rows, maximum }
}

/** Returns every list of objects in a value, at any depth. */
function listsIn(value: unknown): readonly (readonly unknown[])[] {
  if (typeof value !== 'object' || value === null) return []
  const within = Object.values(value).flatMap(listsIn)
  const isList = Array.isArray(value) && value.some((each) => typeof each === 'object' && !Array.isArray(each))
  return isList ? [value, ...within] : within
}

/** Returns the number of different days in an answer. */
function daysIn(answer: unknown): number {
  return new Set(JSON.stringify(answer).match(/"20\d\d-\d\d-\d\d"/g)).size
}
