import { expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'shown')

/** Every tab polls within 5 s; the rest is for machines that do much else. */
const currentMs = 20_000

test('Eight operator tabs at once, all visible: every one loads and stays current, three of them by a stream; a hidden one closes its stream within 5 s.', async () => {
  await site.visit({ account: await site.operator() }, async ({ context }) => {
    const tabs: Page[] = []
    const open = new Map<Page, number>()
    for (let count = 0; count < 8; count += 1) {
      const page = await context.newPage()
      const note = (change: number) => (request: { url(): string }) => {
        if (request.url().includes('/admin/api/events')) open.set(page, (open.get(page) ?? 0) + change)
      }
      page.on('request', note(1)).on('requestfinished', note(-1)).on('requestfailed', note(-1))
      await page.goto('/admin')
      await page.getByRole('region', { name: 'Memory' }).getByText('free').first().waitFor()
      tabs.push(page)
    }
    let polling = await pollingOf(tabs)
    while (polling.length < 5) polling = await pollingOf(tabs)
    const streaming = tabs.filter((tab) => !polling.includes(tab))
    expect(streaming.map((tab) => open.get(tab))).toEqual([1, 1, 1])

    // What happens is seen in all of them.
    await operate(context, 'models-load')
    await Promise.all(tabs.map((tab) => rowOf(tab).waitFor({ timeout: currentMs })))
    await operate(context, 'models-unload')
    await Promise.all(tabs.map((tab) => rowOf(tab).waitFor({ state: 'detached', timeout: currentMs })))

    const [hidden] = streaming
    if (hidden === undefined) throw new Error('no tab has a stream')
    const ended = hidden.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('/admin/api/events'),
      timeout: 10_000,
    })
    await show(hidden, 'hidden')
    await ended
    expect(open.get(hidden)).toBe(0)
    // Another tab takes the place that it left.
    const others = tabs.filter((tab) => tab !== hidden)
    await Promise.any(
      polling.map((tab) => tab.getByText('Updates every 5 s').waitFor({ state: 'detached', timeout: currentMs })),
    )
    await operate(context, 'models-load')
    await Promise.all(others.map((tab) => rowOf(tab).waitFor({ timeout: currentMs })))
    expect(await rowOf(hidden).count()).toBe(0)
    // Seen again, it catches up.
    await show(hidden, 'visible')
    await rowOf(hidden).waitFor({ timeout: currentMs })
  })
}, 120_000)

const rowOf = (tab: Page) => tab.getByRole('row', { name: /test\/shown.*ready/ })

async function pollingOf(tabs: readonly Page[]): Promise<readonly Page[]> {
  const counts = await Promise.all(tabs.map((tab) => tab.getByText('Updates every 5 s').count()))
  return tabs.filter((_, index) => counts[index] === 1)
}

async function operate(context: BrowserContext, name: 'models-load' | 'models-unload'): Promise<void> {
  const response = await context.request.post(`/admin/api/operations/${name}`, {
    data: { model: 'test/shown' },
    headers: { origin: site.inferd.url },
  })
  expect(await response.text()).toContain('"result"')
}

/** Headless Chromium calls every tab visible. */
async function show(tab: Page, visibility: 'hidden' | 'visible'): Promise<void> {
  await tab.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, visibility)
}
