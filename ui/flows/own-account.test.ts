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

test('A password is taken as it is typed, blanks around it included.', async () => {
  const account = await site.account()
  const password = '  four blanks around it  '
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/account')
    await page.getByLabel('Current password').fill('another one')
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not the current password.').waitFor()
    await page.getByLabel('Current password').fill(account.password)
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password was set.').waitFor()
  })
  await site.visit({}, async ({ page }) => {
    await page.goto('/dashboard/sign-in')
    await page.getByLabel('Mail address').fill(account.email)
    await page.getByLabel('Password').fill(password.trim())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('do not go together').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/dashboard/chat')
  })
})
