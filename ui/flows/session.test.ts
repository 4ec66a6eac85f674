import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { performed, signIn, type TestAccount } from '../testing/accounts.ts'
import { openSite } from '../testing/site.ts'
import { sizes } from '../testing/visit.ts'

const site = openSite({ needsWholeBrowser: true })

let made: Promise<readonly [TestAccount, TestAccount]> | undefined

/**
 * Returns two accounts, each with a new session. They are always the same, because there are few signups a day from
 * one address.
 */
async function twoAccounts(): Promise<readonly [TestAccount, TestAccount]> {
  made ??= Promise.all([site.account(), site.account()])
  const begun = async (account: TestAccount) => ({
    ...account,
    session: await signIn(site.inferd, account.email, account.password),
  })
  const [first, second] = await made
  return [await begun(first), await begun(second)]
}

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
    await dialog.locator('input[name=password]:focus').waitFor()
    await page.keyboard.type('wrong')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByText('do not go together').waitFor()
    await dialog.getByLabel('Password').fill(account.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()

    await page.getByRole('dialog', { name: 'Your new key “typed before”, shown this once' }).waitFor()
    expect(await dialog.count()).toBe(0)
  })
})

test('A member who opens the operator’s pages, or a page that is not there, is told so on one page, with the way home.', async () => {
  const [account] = await twoAccounts()
  await site.visit({ account }, async ({ page }) => {
    for (const path of ['/admin', '/admin/models', '/admin/system?tab=log']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1, name: 'These pages are for the operator' }).waitFor()
      expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0)
    }
    await page.getByRole('link', { name: 'To your own pages' }).click()
    await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
    for (const path of ['/dashboard/nothing', '/admin/nothing', '/nothing']) {
      expect((await page.goto(path))?.status()).toBe(404)
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
    }
  })
})

test('Who signs in over the page of another account gets pages of their own, and nothing of the other is done for them.', async () => {
  const [account, other] = await twoAccounts()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('of the first account')
    await page.context().request.post('/dashboard/api/sign-out', { data: {}, headers: { origin: site.inferd.url } })
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Mail address').fill(other.email)
    await dialog.getByLabel('Password').fill(other.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/dashboard/chat')
    await page.getByText(other.email).first().waitFor()
  })
  expect(await performed(site.inferd, other, 'keys-list', {})).toMatchObject([{ name: 'signup' }])
})

test('Another account that signs in in another tab gets its own pages, and finds nothing of what the first one wrote.', async () => {
  const [account, other] = await twoAccounts()
  await site.visit({ account }, async ({ page, context }) => {
    await page.goto('/dashboard/search')
    await page.getByLabel('Texts, one a line').fill('a secret of the first account')
    await page.reload()
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('secret'))

    const second = await context.newPage()
    await second.goto('/dashboard')
    await second.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
    const begin = (session: string) =>
      context.addCookies([{ name: 'inferd_session', value: session, url: site.inferd.url }])
    await begin(other.session)
    await second.evaluate(() => {
      Object.assign(globalThis, { isSameDocument: true })
      dispatchEvent(new Event('focus'))
    })
    await second.waitForFunction(() => !('isSameDocument' in globalThis))
    await second.getByText(other.email).first().waitFor()

    await page.reload()
    await page.getByText(other.email).first().waitFor()
    expect(await page.getByLabel('Texts, one a line').inputValue()).not.toContain('secret')
  })
})

test('Who has signed in again in another tab is not asked for the password here.', async () => {
  const [account] = await twoAccounts()
  await site.visit({ account }, async ({ page, context }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('button', { name: 'Create key' }).waitFor()
    await context.clearCookies()
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.waitFor()
    await context.addCookies([{ name: 'inferd_session', value: account.session, url: site.inferd.url }])
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await dialog.waitFor({ state: 'detached' })
  })
})

test('Stopping the server shows the offline bar; starting it again brings the page back without a reload; a newer version asks for one.', async () => {
  const [account] = await twoAccounts()
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
    await page.setViewportSize({ width: 640, height: 200 })
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    expect((await bar.boundingBox())?.y).toBeGreaterThan(0)
    // A page whose code is not loaded yet reports the lost connection itself, in place of the browser's error page.
    await page.setViewportSize(sizes.wide)
    await page.getByRole('link', { name: 'Usage & billing' }).click()
    await page.getByRole('heading', { level: 1, name: 'Usage & billing' }).waitFor()
    await page.getByText('There is no connection to inferd.').waitFor()
    await page.getByRole('link', { name: 'Keys' }).click()

    await site.inferd.start()
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Revoke signup' }).waitFor()
    expect(await page.getByRole('button', { name: 'Revoke signup' }).isEnabled()).toBe(true)
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true)

    await page.getByRole('link', { name: 'Usage & billing' }).click()
    await page.getByRole('link', { name: 'Billing', exact: true }).click()
    await page.getByLabel('Voucher code').waitFor()
    await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }))

    await page.route('**/dashboard/api/operations/accounts-show-own', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), 'x-inferd-version': '99.0.0' } })
    })
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.getByText('inferd was updated.').waitFor()
    // No answer may still be on its way through the test when the page closes.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.waitForFunction(() => !('isSameDocument' in globalThis))
  })
})

test('A page of another port of the same host cannot make the browser revoke a key, add funds or start a request (its form and its fetch both fail).', async () => {
  const account = await site.account({ balanceUsd: '1' })
  const keys = await performed(site.inferd, account, 'keys-list', {})
  const key = keys[0]?.id
  const question = { model: 'inferd/starter-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }
  const funds = { account: account.email, amount: '5', memo: 'from elsewhere', idempotencyKey: 'elsewhere-1' }
  const acts = [
    { as: account, path: '/dashboard/api/operations/keys-revoke', body: { key } },
    { as: account, path: '/dashboard/api/operations/keys-rename', body: { key, name: 'taken' } },
    { as: account, path: '/dashboard/v1/chat/completions', body: question },
    { as: await site.operator(), path: '/admin/api/operations/ledger-credit', body: funds },
  ] as const
  using other = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: () => new Response('<!doctype html><title>other</title>', { headers: { 'content-type': 'text/html' } }),
  })
  for (const { as, path, body } of acts) {
    const url = site.inferd.url + path
    await site.visit({ account: as, origin: other.url.origin }, async ({ page, context, wrongs }) => {
      const cookies = await context.cookies(url)
      expect(cookies.map(({ value, sameSite }) => ({ value, sameSite }))).toEqual([
        { value: as.session, sameSite: 'Lax' },
      ])
      for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'] as const) {
        await page.goto('/')
        const [response] = await Promise.all([
          page.waitForResponse(url),
          page.waitForURL(url),
          submitForm(page, { url, enctype, body }),
        ])
        expect({ path, enctype, status: response.status() }).toEqual({ path, enctype, status: 403 })
      }
      await page.goto('/')
      for (const type of ['text/plain', 'application/json']) {
        for (const mode of ['cors', 'no-cors'] as const) {
          const answer = await fetchFromPage(page, { url, type, mode, body })
          // The server gave an opaque answer, but the page cannot read it. Its effects are checked below.
          expect({ path, type, mode, answer }).toEqual({
            path,
            type,
            mode,
            answer: expect.stringMatching(/^(TypeError|opaque 0)$/),
          })
        }
      }
      expect(wrongs.splice(0).filter((wrong) => !/^request to another host|blocked by CORS/.test(wrong))).toEqual([])
    })
  }
  expect(await performed(site.inferd, account, 'keys-list', {})).toEqual(keys)
  expect(await performed(site.inferd, account, 'usage-list', {})).toEqual([])
  const own = await performed(site.inferd, account, 'accounts-show-own', {})
  expect(own).toMatchObject({ account: { balanceUsd: '1' } })

  // The same requests succeed from a page of the server itself, so the page is the reason for the refusal.
  for (const { as, path, body } of acts.toReversed()) {
    await site.visit({ account: as }, async ({ page }) => {
      await page.goto('/dashboard/keys')
      await page.getByRole('heading', { name: 'Keys' }).waitFor()
      const url = site.inferd.url + path
      const answer = await fetchFromPage(page, { url, type: 'application/json', mode: 'cors', body })
      expect({ path, answer }).toEqual({ path, answer: 'basic 200' })
    })
  }
})

interface FormOfPage {
  readonly url: string
  readonly enctype: 'text/plain' | 'application/x-www-form-urlencoded' | 'multipart/form-data'
  readonly body: object
}

/** Sends a form as text/plain whose text is the body's JSON. */
function submitForm(page: Page, options: FormOfPage): Promise<void> {
  return page.evaluate(({ url, enctype, body }) => {
    const form = Object.assign(document.createElement('form'), { action: url, method: 'POST', enctype })
    const field = document.createElement('input')
    // A form writes NAME=VALUE, so the equals sign is put into an unused text.
    field.name = `${JSON.stringify(body).replace(/\}$/, ',')}"x":"`
    field.value = '"}'
    form.append(field)
    document.body.append(form)
    form.submit()
  }, options)
}

interface FetchOfPage {
  readonly url: string
  readonly type: string
  readonly mode: 'cors' | 'no-cors'
  readonly body: object
}

/** Returns type and status of the answer that a page gets, or the error's name. */
function fetchFromPage(page: Page, options: FetchOfPage): Promise<string> {
  return page.evaluate(async ({ url, type, mode, body }) => {
    try {
      const sent = { headers: { 'content-type': type }, body: JSON.stringify(body) }
      const response = await fetch(url, { method: 'POST', mode, credentials: 'include', ...sent })
      if (response.type === 'basic') await response.text()
      return `${response.type} ${response.status}`
    } catch (error) {
      return (error as Error).name
    }
  }, options)
}

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
    // The visit must have seen a request that was refused.
    expect(wrongs.splice(0).join('\n')).toContain('frame-ancestors')
  })
  for (const path of ['/dashboard', '/dashboard/api/status', '/ui/none.js']) {
    const { status } = await fetch(site.inferd.url + path, { headers: { host: 'rebound.example' } })
    expect({ path, status }).toEqual({ path, status: 421 })
  }
})
