import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

// Colleagues' browsers use this host name, which is no secure context, so there is no clipboard.
const site = openSite({
  browserFlags: ['--host-resolver-rules=MAP box.lan 127.0.0.1'],
  flags: ['--allowed-hosts', 'box.lan'],
})

/** Creates a key on the page of keys. Returns the secret. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  return page.getByLabel('API key', { exact: true }).inputValue()
}

/** Performs an action, declines the question that it asks, and returns the question's type. */
async function refuse(page: Page, action: () => Promise<unknown>): Promise<string> {
  const asked = page.waitForEvent('dialog')
  const done = action()
  const question = await asked
  await question.dismiss()
  await done
  return question.type()
}

test('The key dialog cannot be lost by Esc, outside click or leaving before it was copied; after closing, the secret is in no DOM node, storage or URL.', async () => {
  await site.visit({ account: await site.account() }, async ({ page }) => {
    await page.goto('/dashboard/account')
    await page.getByRole('link', { name: 'Keys' }).click()
    const secret = await createKey(page, 'laptop')
    expect(secret).toStartWith('sk-inferd-')
    const done = page.getByRole('button', { name: 'Done' })
    expect(await done.isDisabled()).toBe(true)

    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape')
    await page.mouse.click(5, 400)
    expect(await refuse(page, () => page.close({ runBeforeUnload: true }))).toBe('beforeunload')
    expect(await refuse(page, () => page.evaluate(() => history.back()))).toBe('confirm')
    await expectVisible(page)

    await page.getByLabel('I have stored it').check()
    await done.click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const kept = await page.evaluate(async () => [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input')].map(({ value }) => value),
      ...[localStorage, sessionStorage].map((storage) => JSON.stringify(storage)),
      location.href,
      JSON.stringify(history.state),
      document.cookie,
      JSON.stringify([await indexedDB.databases(), await caches.keys()]),
    ])
    expect(kept.join('\n')).not.toContain(secret)
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor()
  })
})

async function expectVisible(page: Page): Promise<void> {
  expect(await page.getByRole('dialog').isVisible()).toBe(true)
  expect(await page.getByLabel('API key', { exact: true }).inputValue()).toStartWith('sk-inferd-')
}

test('Copying works on http://box.lan through the fallback, and says so when it cannot.', async () => {
  const origin = site.inferd.url.replace('127.0.0.1', 'box.lan')
  await site.visit({ account: await site.account(), origin }, async ({ page }) => {
    await page.goto('/dashboard/keys')
    const secret = await createKey(page, 'elsewhere')
    expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false])
    const bar = page.getByText('This connection is not encrypted')
    await bar.getByRole('link', { name: 'How to encrypt it' }).waitFor()

    await page.evaluate(() => {
      document.execCommand = () => false
    })
    await page.getByRole('button', { name: 'Copy: API key' }).click()
    const byHand = page.getByLabel('Press Ctrl+C to copy.')
    expect(
      await byHand.evaluate((field: HTMLInputElement) =>
        field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0),
      ),
    ).toBe(secret)
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)

    await page.evaluate(() => Reflect.deleteProperty(document, 'execCommand'))
    await page.getByRole('button', { name: 'Copy: API key' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.evaluate(() => document.body.append(document.createElement('textarea')))
    await page.locator('body > textarea').focus()
    await page.keyboard.press('ControlOrMeta+V')
    expect(await page.locator('body > textarea').inputValue()).toBe(secret)
  })
})

test('A key is named and dated when it is made, renamed, and revoked by name.', async () => {
  const account = await site.account()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('robot')
    const expiry = page.getByLabel('Expires')
    expect(await expiry.locator('option').allTextContents()).toEqual(['never', 'in 30 days', 'in 90 days', 'on a date'])
    await expiry.selectOption('30')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    const day = new Date(Date.now() + 30 * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10)
    await page.getByRole('row', { name: `robot` }).getByText(day).waitFor()

    await page.getByRole('button', { name: 'Rename robot' }).click()
    await page.getByLabel('Name', { exact: true }).fill('robot two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The key is called “robot two” now.').waitFor()
    await page.getByRole('button', { name: 'Revoke robot two' }).click()
    await page.getByRole('heading', { name: 'Revoke “robot two”?' }).waitFor()
    await page.getByText('Last used: never').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The key “robot two” was revoked.').waitFor()
    await page.getByText('robot two', { exact: true }).first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Revoked or expired' }).click()
    await page.getByRole('row', { name: 'robot two' }).getByText('revoked', { exact: true }).waitFor()
  })
})
