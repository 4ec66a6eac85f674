/**
 * How fast the pages are on a slow machine: `bun run bench:pages [PATH]`. Each page is loaded five times, with nothing in the
 * browser's cache and its processor slowed down to a quarter; the medians are printed.
 */
import { makeAccount, signIn, signInOperator } from '../ui/testing/accounts.ts'
import { allPages, type ShownPage } from '../ui/testing/all-pages.ts'
import { launchChromium } from '../ui/testing/chromium.ts'
import { Inferd } from '../ui/testing/inferd.ts'
import { pageStates } from '../ui/testing/page-states.ts'
import { Visit } from '../ui/testing/visit.ts'
import { buildUi } from './build/build-ui.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const slowdown = 4
const rounds = 5
const wanted = process.argv[2] ?? '/'

await buildUi()
await using inferd = new Inferd()
await inferd.start()
const browser = await launchChromium()
const { email, password } = await makeAccount(inferd, { balanceUsd: '4.203114' })
const member = { session: await signIn(inferd, email, password) }
const operator = await signInOperator(inferd)

const rows: (readonly string[])[] = []
for (const shown of allPages.filter(({ path }) => path.startsWith(wanted))) {
  const loads = []
  for (let round = 0; round < rounds; round += 1) loads.push(await load(shown))
  const middle = (of: keyof Load) => median(loads.map((one) => one[of])).toFixed(0)
  rows.push([shown.path, middle('paintMs'), middle('usableMs'), middle('compressedBytes')])
}
await browser.close()
console.log(markdownTable(['page', 'first paint, ms', 'usable, ms', 'bytes loaded'], rows).join('\n'))

interface Load {
  readonly paintMs: number
  /** All that the page shows at first is there. */
  readonly usableMs: number
  readonly compressedBytes: number
}

async function load({ path, address, isForGuests }: ShownPage): Promise<Load> {
  const account = path.startsWith('/admin') ? operator : member
  const { promise, resolve } = Promise.withResolvers<Load>()
  await Visit.run(browser, inferd, isForGuests ? {} : { account }, async ({ page, context }) => {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await pageStates.ready(page, address)
    resolve(
      await page.evaluate(() => ({
        paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
        usableMs: performance.now(),
        compressedBytes: performance
          .getEntriesByType('resource')
          .reduce((sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0), 0),
      })),
    )
  })
  return promise
}
