import type { Browser } from 'playwright-core'
import type { TestAccount } from '../../../ui/testing/accounts.ts'
import type { Inferd } from '../../../ui/testing/inferd.ts'
import { pageStates } from '../../../ui/testing/page-states.ts'
import { Visit } from '../../../ui/testing/visit.ts'

export interface PageLoad {
  readonly paintMs: number
  /** Time until everything that the page shows first is there. */
  readonly usableMs: number
  /** Processor time of the page's main thread until then, which excludes other programs. */
  readonly processorMs: number
  readonly compressedBytes: number
}

interface LoadOptions {
  /** Account that is signed in. Defaults to none. */
  readonly account?: Pick<TestAccount, 'session'>
  readonly address: string
  /** Factor by which the processor is slowed down. */
  readonly slowdown: number
}

/** Loads a page with an empty browser cache. */
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
