import { expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { until } from '../../src/testing/until.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'shown')

/** Time until every tab is current. Tabs poll within 5 s; the rest is for busy machines. */
const currentMs = 20_000
/** Time limit for loading. Eight tabs at once keep a small machine busy for some seconds. */
const loadMs = 60_000

test('Eight operator tabs at once, all visible: every one loads and stays current, three of them by a stream; a hidden one closes its stream within 5 s.', async () => {
  await site.visit({ account: await site.operator() }, async ({ context }) => {
    const open = new Map<Page, number>()
    const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()))
    // Loads all tabs at once, like a browser that restores its last session.
    const load = async (page: Page) => {
      const note = (change: number) => (request: { url(): string }) => {
        if (request.url().includes('/admin/api/events')) open.set(page, (open.get(page) ?? 0) + change)
      }
      page.on('request', note(1)).on('requestfinished', note(-1)).on('requestfailed', note(-1))
      await page.goto('/admin', { timeout: loadMs })
      await page.getByRole('region', { name: 'Memory' }).getByText('free').first().waitFor({ timeout: loadMs })
    }
    await Promise.all(tabs.map(load))
    const shown = await until(
      'five of eight tabs say that they poll, and the three others have a stream',
      () => Promise.all(tabs.map(async (tab) => ({ polls: await polls(tab), streams: open.get(tab) ?? 0 }))),
      (seen) => seen.filter((tab) => tab.polls).length === 5 && seen.every((tab) => tab.polls || tab.streams === 1),
    )
    const polling = tabs.filter((_, index) => shown[index]?.polls)
    const streaming = tabs.filter((tab) => !polling.includes(tab))

    // Every tab shows the change.
    await perform(context, 'models-load')
    await Promise.all(tabs.map((tab) => rowOf(tab).waitFor({ timeout: currentMs })))
    await perform(context, 'models-unload')
    await Promise.all(tabs.map((tab) => rowOf(tab).waitFor({ state: 'detached', timeout: currentMs })))

    const [hidden] = streaming
    if (hidden === undefined) throw new Error('no tab has a stream')
    const ended = hidden.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('/admin/api/events'),
      timeout: currentMs,
    })
    await show(hidden, 'hidden')
    await ended
    expect(open.get(hidden)).toBe(0)
    // Another tab takes the hidden tab's place.
    const others = tabs.filter((tab) => tab !== hidden)
    await Promise.any(
      polling.map((tab) => tab.getByText('Updates every 5 s').waitFor({ state: 'detached', timeout: currentMs })),
    )
    await perform(context, 'models-load')
    await Promise.all(others.map((tab) => rowOf(tab).waitFor({ timeout: currentMs })))
    expect(await rowOf(hidden).count()).toBe(0)
    // The hidden tab catches up when it is shown again.
    await show(hidden, 'visible')
    await rowOf(hidden).waitFor({ timeout: currentMs })
  })
}, 180_000)

const rowOf = (tab: Page) => tab.getByRole('row', { name: /test\/shown.*ready/ })

const polls = async (tab: Page) => (await tab.getByText('Updates every 5 s').count()) === 1

async function perform(context: BrowserContext, name: 'models-load' | 'models-unload'): Promise<void> {
  const response = await context.request.post(`/admin/api/operations/${name}`, {
    data: { model: 'test/shown' },
    headers: { origin: site.inferd.url },
  })
  expect(await response.text()).toContain('"result"')
}

/** Sets a tab's visibility, since headless Chromium reports every tab as visible. */
async function show(tab: Page, visibility: 'hidden' | 'visible'): Promise<void> {
  await tab.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, visibility)
}
