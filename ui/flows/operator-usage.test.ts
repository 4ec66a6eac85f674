import { expect, test } from 'bun:test'
import { toNano } from '../parts/money-text.ts'
import { seriesOf } from '../parts/series.ts'
import { dayAgo, dayMs, dayStartIn, recordUsage, throughDay } from '../testing/record-usage.ts'
import { openSite } from '../testing/site.ts'
import { csvSum, readUsagePage, type UsagePageText } from '../testing/usage-page.ts'

const site = openSite()

test('Usage of a day seen from Pacific/Auckland and America/Los_Angeles shows the same UTC sums, and the CSV’s sum equals the total on the page.', async () => {
  const [ada, bob] = [await site.account(), await site.account()]
  const [first, second] = [dayAgo(3), dayAgo(2)]
  recordUsage(site.inferd, ada.email, [...throughDay(first, 1_000), ...throughDay(second, 2_000)])
  recordUsage(
    site.inferd,
    bob.email,
    throughDay(second, 3_001).map((row) => ({ ...row, model: 'test/two' })),
  )
  const expected: Readonly<Record<string, readonly (readonly string[])[]>> = {
    day: [
      [second, '8', '80', '32', '40', '$0', '$0.005556', '83.3 %'],
      [first, '4', '40', '16', '20', '$0', '$0.001111', '16.7 %'],
    ],
    model: [
      ['test/two', '4', '40', '16', '20', '$0', '$0.003334', '50.0 %'],
      ['test/one', '8', '80', '32', '40', '$0', '$0.003333', '50.0 %'],
    ],
    account: [
      [bob.email, '4', '40', '16', '20', '$0', '$0.003334', '50.0 %'],
      [ada.email, '8', '80', '32', '40', '$0', '$0.003333', '50.0 %'],
    ],
    key: [
      [`signup · ${bob.email}`, '4', '40', '16', '20', '$0', '$0.003334', '50.0 %'],
      [`signup · ${ada.email}`, '8', '80', '32', '40', '$0', '$0.003333', '50.0 %'],
    ],
  }
  const seen: UsagePageText[][] = []
  const account = await site.operator()
  for (const timezoneId of ['Pacific/Auckland', 'America/Los_Angeles']) {
    await site.visit({ account, timezoneId }, async ({ page }) => {
      const ofZone: UsagePageText[] = []
      for (const [by, rows] of Object.entries(expected)) {
        await page.goto(`/admin/usage?range=span&from=${first}&to=${second}&by=${by}`)
        await page.getByText(`a day starts at ${dayStartIn(timezoneId)} your time`).waitFor()
        const text = await readUsagePage(page)
        expect({ by, rows: text.rows }).toEqual({ by, rows })
        expect({ by, total: text.total }).toEqual({ by, total: '$0.006667111' })
        expect(csvSum(text)).toBe(toNano('0.006667111') ?? 0n)
        expect(text.csv.rows).toHaveLength(rows.length)
        expect(text.csv.name).toBe(`usage-by-${by}-${first}-${second}.csv`)
        expect(text.bars.map((bar) => bar.split('\n')[0])).toEqual([first, second])
        ofZone.push(text)
      }
      seen.push(ofZone)
    })
  }
  expect(seen[1]).toEqual(seen[0] ?? [])
  // In the picture, each part has its own figure.
  expect(seen[0]?.[0]?.bars[1]).toBe(`${second}\ntest/one: $0.002222\ntest/two: $0.003334111`)
})

test('The five models with the most of a measure have parts of their own in the colours that they have everywhere; the others share one.', async () => {
  const { email } = await site.account()
  const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `colour/${name}`)
  const createdMs = Date.now() - 40 * dayMs
  const usage = models.flatMap((model, index) =>
    Array.from({ length: index + 1 }, () => ({ createdMs, model, costNanoUsd: 10 ** (9 - index) })),
  )
  recordUsage(site.inferd, email, usage)
  const day = dayAgo(40)
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    const legend = page.locator('.legend li')
    const names = async () => (await legend.allTextContents()).map((text) => text.trim())
    await page.goto(`/admin/usage?range=span&from=${day}&to=${day}`)
    await legend.first().waitFor()
    expect(await names()).toEqual([...models.slice(0, 5), 'others'])
    const swatches = await page
      .locator('.legend .swatch')
      .evaluateAll((all) => all.map((swatch) => swatch.classList[1]))
    expect(swatches).toEqual([...models.slice(0, 5).map((model) => `series-${seriesOf(model)}`), 'series-rest'])
    const heights = await page
      .locator('.day-bar > span')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().height))
    expect(heights).toHaveLength(6)
    // Every part has a height, however small its share.
    expect(heights.every((height) => height >= 1)).toBe(true)

    await page.getByLabel('Measure').selectOption('requests')
    await page.locator('figcaption', { hasText: 'Requests of each day' }).waitFor()
    expect(await names()).toEqual([...models.toReversed().slice(0, 5), 'others'])
    await page.getByText('As a table').click()
    const table = page.getByRole('table', { name: 'Requests of each day' })
    expect(await table.locator('tbody td').allTextContents()).toEqual([day, '7', '6', '5', '4', '3', '3'])
    expect(await visit.axe()).toEqual([])
    await page.getByLabel('Measure').selectOption('audio')
    await page.getByText('all audio minutes is 0').waitFor()
  })
})

test('The time is chosen as today, days, a month or two days, and a reload keeps it; today is marked as unfinished.', async () => {
  const { email } = await site.account()
  const now = new Date()
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15))
  recordUsage(site.inferd, email, [
    { createdMs: now.getTime(), costNanoUsd: 1, model: 'time/today' },
    { createdMs: lastMonth.getTime(), costNanoUsd: 1, model: 'time/last-month' },
  ])
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    const row = (model: string) => page.getByRole('row', { name: model })
    await page.goto('/admin/usage')
    await row('time/today').waitFor()
    await page.getByText('today, not over yet').waitFor()
    await page.getByText('until now; today is not over yet').waitFor()
    await page.getByRole('button', { name: 'Today' }).click()
    await page.locator('.day-bar').nth(1).waitFor({ state: 'detached' })
    await row('time/today').waitFor()

    await page.getByRole('button', { name: 'Month' }).click()
    await page.getByLabel('Month (UTC)').selectOption(lastMonth.toISOString().slice(0, 7))
    await row('time/last-month').waitFor()
    expect(await row('time/today').count()).toBe(0)
    expect(await page.getByText('not over yet').count()).toBe(0)
    await page.reload()
    await row('time/last-month').waitFor()

    await page.getByRole('button', { name: 'From – to' }).click()
    await page.getByLabel('From').fill(dayAgo(1))
    await row('time/today').waitFor()
    await page.getByLabel('To', { exact: true }).fill(dayAgo(1))
    await page.reload()
    await page.getByLabel('From').waitFor()
    expect(await page.getByLabel('From').inputValue()).toBe(dayAgo(1))
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(dayAgo(1))
    await page.getByText('Nothing was used in this time.').waitFor()
  })
})
