import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

/** Address of this machine on its network. Undefined without a network. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

// Colleagues' browsers use this host name, which is no secure context.
const site = openSite({
  browserFlags: [`--host-resolver-rules=MAP box.lan ${ownAddress ?? '127.0.0.1'}`],
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

/** Makes all links older by this many minutes. */
function age(minutes: number): void {
  using database = new Database(join(site.inferd.dataDir, 'inferd.db'))
  database.run('UPDATE setup_links SET created = created - ?1, expires = expires - ?1', [minutes * 60_000])
}

/** Checks that the page shows only the way to another link, without input or links into the server. */
async function showsOnlyTheWay(page: Page): Promise<void> {
  await page.locator('main code', { hasText: `admin link --data ${site.inferd.dataDir}` }).waitFor()
  expect(await page.locator('input').count()).toBe(0)
  expect(await page.getByRole('navigation').count()).toBe(0)
  const links = await page.locator('main a').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
  expect(links).toEqual(['/dashboard/sign-in?next=/admin'])
}

test('A fresh server prints a setup link; opening it and choosing a password leads to the overview; opening it again says that it was used and names the command.', async () => {
  const link = await makeLink()
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByLabel('Password again').waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/admin/setup')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByLabel('Password again').fill('correct horse')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The two passwords differ.').waitFor()
    await choosePassword(page)

    await page.getByRole('heading', { level: 1, name: 'You are the operator' }).waitFor()
    await page.getByText(`${site.inferd.url}/v1`, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Try the starter model' }).waitFor()
    await page.getByRole('button', { name: 'Create a key' }).click()
    const key = await page.getByLabel('API key', { exact: true }).inputValue()
    const models = await fetch(`${site.inferd.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } })
    expect(models.status).toBe(200)
    await page.getByLabel('I have stored it').check()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.waitForURL('**/admin')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await page.content()).not.toContain(key)
  })
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await choosePassword(page)
    await page.getByText('This link was used before').waitFor()
    await showsOnlyTheWay(page)
  })
})

test('An expired link, a cut link and `/admin` without a session each say what to do and show nothing else.', async () => {
  const link = await makeLink()
  await site.visit({}, async ({ page }) => {
    await page.goto(link.slice(0, -9))
    await page.getByRole('heading', { name: 'This link is not complete' }).waitFor()
    await showsOnlyTheWay(page)

    await page.goto('/admin')
    await page.waitForURL('**/dashboard/sign-in?next=%2Fadmin')
    await page.locator('main code', { hasText: 'admin link' }).waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    const shown = await page.locator('body').textContent()
    expect(shown).not.toContain('starter')

    await page.goto(link)
    await page.getByLabel('Password again').waitFor()
    age(31)
    await choosePassword(page)
    await page.getByText('This link has expired').waitFor()
    await showsOnlyTheWay(page)
  })
})

test('`inferd admin link` while the server runs lets a second browser in; the audit log has it.', async () => {
  for (let browsers = 0; browsers < 2; browsers += 1) {
    await site.visit({}, async ({ page }) => {
      const link = await makeLink()
      await page.goto(link)
      await choosePassword(page)
      await page.getByRole('link', { name: 'Go to the overview' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      if (browsers === 0) return
      await page.goto('/admin/system?tab=audit')
      await page
        .getByRole('row', { name: /operator\.link/ })
        .first()
        .waitFor()
      await page
        .getByRole('row', { name: /operator\.setup/ })
        .first()
        .waitFor()
      const text = (await page.locator('main').textContent()) ?? ''
      expect(text.match(/operator\.link/g)?.length).toBeGreaterThanOrEqual(2)
      expect(text).not.toContain(new URL(link).hash.slice(1))
    })
  }
})

test('From an origin that is not loopback `/admin` is refused with the ssh line; with `--admin network` it opens and shows the plain-HTTP bar.', async () => {
  const account = await site.operator()
  const { port } = new URL(site.inferd.url)
  const origin = `http://box.lan:${port}`
  const onNetwork = ['--allowed-hosts', 'box.lan', '--host', '0.0.0.0']
  await site.inferd.stop()
  await site.inferd.start(onNetwork)
  /** Header that a proxy of the network would add, for a machine that has no address but loopback. */
  const begin = async (page: Page) => {
    if (ownAddress === undefined) await page.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.7' })
  }
  await site.visit({ account, origin }, async ({ page }) => {
    await begin(page)
    for (const path of ['/admin', '/admin/setup', '/admin/models']) {
      const answer = await page.goto(path)
      expect(answer?.status()).toBe(403)
      await page.getByRole('heading', { name: 'Only on this machine' }).waitFor()
      await page.locator('code', { hasText: 'ssh -L' }).waitFor()
    }
    const code = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch('/admin/api/operations/models-status', { method: 'POST', body: '{}', headers })
      return ((await answer.json()) as { error: { code: string } }).error.code
    })
    expect(code).toBe('admin_is_local')
  })
  await site.visit({ account, origin: `http://127.0.0.1:${port}` }, async ({ page }) => {
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '127.0.0.1' })
    expect((await page.goto('/admin'))?.status()).toBe(403)
  })
  await site.inferd.stop()
  await site.inferd.start([...onNetwork, '--admin', 'network'])
  await site.visit({ account, origin }, async ({ page }) => {
    await begin(page)
    await page.goto('/admin')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('region', { name: 'Memory' }).waitFor()
    await page.getByText('This connection is not encrypted').waitFor()
  })
})
