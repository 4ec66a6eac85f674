import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

// What a colleague's browser knows the machine by: no secure context.
const site = openSite({
  browserFlags: ['--host-resolver-rules=MAP box.lan 127.0.0.1'],
  flags: ['--allowed-hosts', 'box.lan'],
})

async function makeLink(): Promise<string> {
  const { link } = JSON.parse(await site.inferd.run('admin', 'link', '--json')) as { link: string }
  return link
}

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByLabel('Password again').fill('correct horse battery')
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('A fresh server prints a setup link; opening it and choosing a password leads to the overview; opening it again says that it was used and names the command.', async () => {
  const link = await makeLink()
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByLabel('Password again').waitFor()
    expect(page.url()).toBe(`${site.inferd.url}/admin/setup`)
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByLabel('Password again').fill('correct horse')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The two passwords differ.').waitFor()
    await choosePassword(page)
    await page.waitForURL('**/admin')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await choosePassword(page)
    await page.getByText('This link was used before').waitFor()
    expect(await page.locator('main').textContent()).toContain('inferd admin link')
  })
})

test('An expired link, a cut link and `/admin` without a session each say what to do and show nothing else.', async () => {
  const command = 'inferd admin link'
  const older = await makeLink()
  await makeLink() // which ends the one before
  await site.visit({}, async ({ page }) => {
    await page.goto(older)
    await choosePassword(page)
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
    await page.locator('main code', { hasText: command }).waitFor()
    expect(await page.locator('input').count()).toBe(0)

    await page.goto('/dashboard/sign-in')
    await page.goto(older.slice(0, -9))
    await page.getByRole('heading', { name: 'This link is not complete' }).waitFor()
    await page.locator('main code', { hasText: command }).waitFor()
    expect(await page.locator('input').count()).toBe(0)

    await page.goto('/admin')
    await page.waitForURL('**/dashboard/sign-in?next=%2Fadmin')
    await page.locator('main code', { hasText: command }).waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
  })
})

test('`inferd admin link` while the server runs lets a second browser in; the audit log has it.', async () => {
  for (let browsers = 0; browsers < 2; browsers += 1) {
    await site.visit({}, async ({ page }) => {
      await page.goto(await makeLink())
      await choosePassword(page)
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    })
  }
  const audit = await site.inferd.run('audit', '--json')
  expect(audit.match(/"operator\.link"/g)?.length).toBeGreaterThanOrEqual(2)
  expect(audit.match(/"operator\.setup"/g)?.length).toBeGreaterThanOrEqual(2)
})

test('From an origin that is not loopback `/admin` is refused with the ssh line; with `--admin network` it opens and shows the plain-HTTP bar.', async () => {
  const origin = site.inferd.url.replace('127.0.0.1', 'box.lan')
  const account = await site.operator()
  const forwarded = { 'x-forwarded-for': '192.0.2.7' }
  await site.visit({ account, origin }, async ({ page }) => {
    await page.setExtraHTTPHeaders(forwarded)
    const answer = await page.goto('/admin')
    expect(answer?.status()).toBe(403)
    expect(await page.locator('body').textContent()).toContain('ssh -L')
  })
  await site.inferd.stop()
  await site.inferd.start(['--allowed-hosts', 'box.lan', '--admin', 'network'])
  await site.visit({ account, origin }, async ({ page }) => {
    await page.setExtraHTTPHeaders(forwarded)
    await page.goto('/admin')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByText('This connection is not encrypted').waitFor()
  })
})
