import { expect, test } from 'bun:test'
import { openChat, say } from '../testing/chat.ts'
import { openSite } from '../testing/site.ts'

const site = openSite({ flags: ['--starter-credit-usd', '1'] })

/** Returns the link in the first mail to an address. */
async function linkTo(address: string): Promise<string> {
  const mails: { id: string; address: string }[] = JSON.parse(await site.inferd.run('outbox', '--json'))
  const mail = mails.find((waiting) => waiting.address === address)
  return JSON.parse(await site.inferd.run('outbox', '--open', mail?.id ?? '', '--json')).link
}

test('Sign up, confirm through the outbox link, see the starter credit, create a key, copy it, and the copied key answers a request.', async () => {
  await site.visit({}, async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const email = 'grace@example.org'
    await page.goto('/dashboard/sign-up')
    // Messages shorten values, and name fields by their labels.
    await page.getByLabel('Mail address').fill(`${'a'.repeat(300)}@example.org`)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('is no mail address').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('a'.repeat(100))
    await page.getByLabel('Mail address').fill(email)
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.locator('input[name=password][aria-invalid=true]').waitFor()
    await page.getByText(/^Password must /).waitFor()
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('You then get $1 to start with.').waitFor()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor()
    await page.getByRole('link', { name: 'Balance' }).click()
    await page.locator('.balance-card').getByText('$0', { exact: true }).waitFor()
    await page.locator('.balance-card').getByText('Confirming your address adds the starter credit of $1.00.').waitFor()
    await openChat(page, 'inferd/starter-chat')
    await say(page, 'Hello')
    await page.locator('.failure').getByText('Confirming your address adds the starter credit of $1.00.').waitFor()
    await page.locator('.failure').getByRole('link', { name: 'Confirm the address' }).click()
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor()

    const link = await linkTo(email)
    // Mail scanners open the link, even several times.
    for (let opened = 0; opened < 3; opened += 1) expect((await fetch(link)).status).toBe(200)
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm the address and get $1' }).click()
    await page.getByText('Your address is confirmed. $1 was added to your balance.').waitFor()
    await page.goto('/dashboard/keys')
    await page.getByText('$1.00', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Copy: API key' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    const key = await page.evaluate(() => navigator.clipboard.readText())
    const response = await fetch(`${site.inferd.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'inferd/starter-chat',
        messages: [{ role: 'user', content: 'Hello!' }],
        max_tokens: 4,
      }),
    })
    expect(response.status).toBe(200)
  })
})

test('A mailed link signs in by a press of a button, once, and does not stay in the address.', async () => {
  const account = await site.account()
  await site.visit({}, async ({ page }) => {
    await page.goto('/dashboard/sign-in?next=/dashboard/keys')
    await page.getByLabel('Mail address').fill(account.email)
    await page
      .getByRole('button', { name: 'Mail me a link' })
      .or(page.getByRole('button', { name: 'Ask the operator' }))
      .click()
    await page.getByText('If the address has an account').waitFor()
  })
  const mails: { id: string; address: string; purpose: string }[] = JSON.parse(
    await site.inferd.run('outbox', '--json'),
  )
  const mail = mails.find(({ address, purpose }) => address === account.email && purpose === 'sign-in')
  const { link } = JSON.parse(await site.inferd.run('outbox', '--open', mail?.id ?? '', '--json'))
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${site.inferd.url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/dashboard/chat')
    await page.getByText(account.email).waitFor()
  })
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This link was used before').waitFor()
  })
})

test('Without a session a page leads to the sign-in, and from there back to itself alone.', async () => {
  const account = await site.account()
  await site.visit({}, async ({ page }) => {
    await page.goto('/dashboard/keys?from=test')
    await page.waitForURL('**/dashboard/sign-in?next=*')
    await page.getByLabel('Mail address').fill(account.email)
    await page.getByLabel('Password').fill('another one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    // The page names the way that works without mail.
    await page.getByText('ask the operator for a sign-in link').waitFor()
    await page.getByLabel('Password').fill(account.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/dashboard/keys?from=test')
    await page.getByText(account.email).waitFor()
    await page.goto('/dashboard/sign-in?next=//evil.example')
    await page.waitForURL('**/dashboard/chat')
  })
})
