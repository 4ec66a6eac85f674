import { expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

const site = openSite({ flags: ['--second-factor', 'staff'] })
const password = 'correct horse battery'
const stepMs = 30_000

test('Where operators need a second factor, one sets it up after the setup link and signs in with a code.', async () => {
  const { link } = JSON.parse(await site.inferd.run('admin', 'link', '--json')) as { link: string }
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL('**/dashboard/account')
    await page.goto('/admin')
    await page.getByRole('link', { name: 'Set it up' }).click()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Second factor' }) })
    await card.getByLabel('Current password').fill(password)
    await card.getByRole('button', { name: 'Set up' }).click()
    await card.getByRole('img', { name: 'QR code' }).waitFor()
    const secret = (await card.locator('code').textContent()) ?? ''
    const code = (steps = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * stepMs })
    // The next step's code is right as well, and signing in needs one that is later.
    await card.getByLabel('Code', { exact: true }).fill(code(-1))
    await card.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The second factor is on.').waitFor()
    await page.goto('/admin')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await signOutAndIn(page, code())
    await page.waitForURL('**/admin')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})

async function signOutAndIn(page: Page, code: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/dashboard/sign-in?next=/admin')
  await page.getByLabel('Mail address or name').fill('operator')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByLabel('Code', { exact: true }).getAttribute('autocomplete')).toBe('one-time-code')
  await page.getByLabel('Code', { exact: true }).fill('0')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This code is wrong').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
