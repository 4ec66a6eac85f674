import { expect, test } from 'bun:test'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('A session ended elsewhere brings the sign-in dialog over the page, and after it the pending action is done with the typed text kept.', async () => {
  const account = await site.account()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('typed before')
    await page.context().request.post('/dashboard/api/sign-out', { data: {}, headers: { origin: site.inferd.url } })
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()

    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await page.keyboard.press('Escape')
    expect(await dialog.getByLabel('Mail address').inputValue()).toBe(account.email)
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByText('do not go together').waitFor()
    await dialog.getByLabel('Password').fill(account.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()

    await page.getByRole('dialog', { name: 'Your new key “typed before”, shown this once' }).waitFor()
    expect(await dialog.count()).toBe(0)
  })
})

test('Stopping the server shows the offline bar; starting it again brings the page back without a reload; a newer version asks for one.', async () => {
  const account = await site.account()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('cell', { name: 'signup', exact: true }).waitFor()
    await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }))
    const bar = page.getByText(/No connection to inferd since \d\d:\d\d:\d\d, trying again/)

    await site.inferd.stop()
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await bar.waitFor()
    await page.getByRole('cell', { name: 'signup', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Revoke signup' }).isDisabled()).toBe(true)

    await site.inferd.start()
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await bar.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Revoke signup' }).isEnabled()).toBe(true)
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true)

    await page.route('**/dashboard/api/me', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), 'x-inferd-version': '99.0.0' } })
    })
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.getByText('inferd was updated.').waitFor()
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.waitForFunction(() => !('isSameDocument' in globalThis))
  })
})

test('The dashboard in an iframe of another page stays empty; an unknown Host header gets 421.', async () => {
  const html = `<!doctype html><title>other</title><iframe src="${site.inferd.url}/dashboard/sign-in"></iframe>`
  using other = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
  })
  await site.visit({ origin: other.url.origin }, async ({ page, wrongs }) => {
    await page.goto('/')
    const frame = page.frames()[1]
    expect(await frame?.locator('body').textContent()).not.toContain('Sign in')
    expect(frame?.url()).toStartWith('chrome-error:')
    // What the visit saw is what should be seen: a request that was made, and refused.
    expect(wrongs.splice(0).join('\n')).toContain('frame-ancestors')
  })
  for (const path of ['/dashboard', '/dashboard/api/me', '/ui/none.js']) {
    const { status } = await fetch(site.inferd.url + path, { headers: { host: 'rebound.example' } })
    expect({ path, status }).toEqual({ path, status: 421 })
  }
})
