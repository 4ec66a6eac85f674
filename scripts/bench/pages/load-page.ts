import type { Browser } from 'playwright-core'
import type { TestAccount } from '../../../ui/testing/accounts.ts'
import type { Inferd } from '../../../ui/testing/inferd.ts'
import { pageStates } from '../../../ui/testing/page-states.ts'
import { Visit } from '../../../ui/testing/visit.ts'

export interface PageLoad {
  readonly paintMs: number
  /** All that the page shows at first is there. */
  readonly usableMs: number
  /** Until then, of the page's main thread: what other programs of the machine take is not in it. */
  readonly processorMs: number
  readonly compressedBytes: number
}

interface LoadOptions {
  /** Nobody is signed in unless it is given. */
  readonly account?: Pick<TestAccount, 'session'>
  readonly address: string
  /** So many times slower than this machine. */
  readonly slowdown: number
}

/** Loads a page with nothing in the browser's cache. */
export async function loadPage(browser: Browser, inferd: Inferd, options: LoadOptions): Promise<PageLoad> {
  const { account, address, slowdown } = options
  const { promise, resolve } = Promise.withResolvers<PageLoad>()
  await Visit.run(browser, inferd, account === undefined ? {} : { account }, async ({ page, context }) => {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await pageStates.ready(page, address)
    const { metrics } = await devtools.send('Performance.getMetrics')
    const processorMs = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
    const seen = await page.evaluate(() => ({
      paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      usableMs: performance.now(),
      compressedBytes: performance
        .getEntriesByType('resource')
        .reduce((sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0), 0),
    }))
    resolve({ ...seen, processorMs })
  })
  return promise
}
