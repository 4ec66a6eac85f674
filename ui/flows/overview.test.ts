import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('Eight operator tabs at once, all visible: every one loads and stays current, three of them by a stream; a hidden one closes its stream within 5 s.', async () => {
  await site.visit({ account: await site.operator() }, async ({ context }) => {
    const tabs: Page[] = []
    const streams = new Set<Page>()
    for (let count = 0; count < 8; count += 1) {
      const page = await context.newPage()
      await page.goto('/admin')
      await page.getByRole('region', { name: 'Memory' }).getByText('free').first().waitFor()
      tabs.push(page)
    }
    for (const page of tabs) {
      if ((await page.getByText('Updates every 5 s').count()) === 0) streams.add(page)
    }
    expect(streams.size).toBe(3)
    const [first] = streams
    const ended = first?.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('/admin/api/events'),
      timeout: 7_000,
    })
    await first?.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await ended
  })
})
