import { expect, test } from 'bun:test'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('A member limits a key and sees what is left; an operator limits the account, and the member sees that.', async () => {
  const account = await site.account()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Limits laptop' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No limits are set.').waitFor()
    await dialog.getByLabel('USD a month').fill('5')
    await dialog.getByLabel('Requests a minute').fill('ten')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.getByText('must be a whole number').waitFor()
    await dialog.getByLabel('Requests a minute').fill('10')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Limits laptop' }).click()
    await dialog.getByText('$5.00 of $5.00 left').waitFor()
    await dialog.getByText('10 of 10 left').waitFor()
    await dialog.getByLabel('USD a month').fill('')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.waitFor({ state: 'detached' })
  })
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts/${account.email}?tab=limits`)
    await page.getByRole('button', { name: 'Change limits' }).click()
    await page.getByLabel('Networks').fill('127.0.0.0/8, 10.1.0.0/16')
    await page.getByLabel('Requests at a time').fill('2')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('0 of 2 running').waitFor()
    await page.goto(`/admin/accounts/${account.email}`)
    await page.getByRole('button', { name: 'Limits laptop' }).click()
    await page.getByRole('dialog').getByText('10 of 10 left').waitFor()
  })
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/account')
    await page.getByText('127.0.0.0/8, 10.1.0.0/16').waitFor()
    expect(await page.getByText('0 of 2 running').isVisible()).toBe(true)
  })
})
