import { expect, test } from 'bun:test'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('Times are shown in 12 or 24 hours as was chosen, on every page and after a reload.', async () => {
  await site.visit({ account: await site.account() }, async ({ page }) => {
    const exact = page.locator('table time').first()
    await page.goto('/dashboard/account')
    expect(await exact.getAttribute('title')).toMatch(/, \d\d:\d\d:\d\d CET$/)
    await page.getByLabel('Times').selectOption('12')
    expect(await exact.getAttribute('title')).toMatch(/, \d\d:\d\d:\d\d [ap]m CET$/)
    await page.goto('/dashboard/keys')
    expect(await exact.getAttribute('title')).toMatch(/, \d\d:\d\d:\d\d [ap]m CET$/)
    await page.goto('/dashboard/account')
    expect(await page.getByLabel('Times').inputValue()).toBe('12')
    await page.getByLabel('Times').selectOption('system')
    expect(await exact.getAttribute('title')).toMatch(/, \d\d:\d\d:\d\d CET$/)
  })
})
