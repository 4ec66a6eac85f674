import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { appIcons } from '../../scripts/build/web-manifest.ts'
import { drawAppIcon } from '../../scripts/screens/app-icons.ts'
import { say } from '../testing/chat.ts'
import { pictureDifference } from '../testing/picture-difference.ts'
import { openSite } from '../testing/site.ts'
import { sizes } from '../testing/visit.ts'

const site = openSite({ needsWholeBrowser: true })

const memberEntries = ['Chat', 'Speech', 'Search', 'Keys', 'Usage & billing', 'Account']
const operatorEntries = ['Overview', 'Models', 'Requests', 'Accounts', 'Money', 'Usage', 'Mail', 'System']

const rail = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const entries = (page: Page) => rail(page).getByRole('link').allInnerTexts()
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const address = (page: Page) => page.url().slice(site.inferd.url.length)

test('A member sees six entries and no switch; pages of one entry are its tabs, which keep the focus.', async () => {
  await site.visit({ account: await site.visitor('/dashboard') }, async (visit) => {
    const { page } = visit
    await page.goto('/')
    await heading(page, 'Chat').waitFor()
    expect((await entries(page)).map((text) => text.trim())).toEqual(memberEntries)
    expect(await page.getByRole('link', { name: 'Operate' }).count()).toBe(0)
    for (const [entry, ...tabs] of [
      ['Speech', 'Speak', 'Transcribe'],
      ['Keys', 'Keys', 'Models & prices'],
      ['Usage & billing', 'Usage', 'Billing'],
    ] as const) {
      await rail(page).getByRole('link', { name: entry }).click()
      for (const tab of tabs) {
        const link = page.getByRole('navigation', { name: entry }).getByRole('link', { name: tab, exact: true })
        await link.click()
        await page.waitForFunction((title) => document.title.startsWith(`${title} ·`), tab)
        await page.locator(':focus[aria-current=page]').waitFor()
        expect(await link.getAttribute('aria-current')).toBe('page')
        await heading(page, entry).waitFor()
        expect(await rail(page).locator('[aria-current]').textContent()).toContain(entry)
      }
    }
    expect(await visit.axe()).toEqual([])
  })
})

test('Addresses of earlier versions lead to the pages that they meant, with what they asked for.', async () => {
  await site.visit({ account: await site.visitor('/dashboard') }, async ({ page }) => {
    for (const [before, after] of [
      ['/dashboard', '/dashboard/chat'],
      ['/dashboard/?x=1', '/dashboard/chat?x=1'],
      ['/dashboard/play/chat?model=inferd%2Fstarter-chat', '/dashboard/chat?model=inferd%2Fstarter-chat'],
      ['/dashboard/play/speak', '/dashboard/speak'],
      ['/dashboard/play/transcribe', '/dashboard/transcribe'],
      ['/dashboard/play/vectors', '/dashboard/search'],
    ] as const) {
      await page.goto(before)
      await page.locator('main h1').waitFor()
      expect(address(page)).toBe(after)
    }
    await page.goto('/dashboard/play/vectors?tab=rank')
    await page.getByRole('tab', { name: 'Rank documents', selected: true }).waitFor()
    // A link to such an address leaves one entry in the history, so that Back leads out of it.
    await page.evaluate(() => {
      const link = Object.assign(document.createElement('a'), {
        href: '/dashboard/play/speak',
        textContent: 'old link',
      })
      document.querySelector('main')?.append(link)
    })
    await page.getByText('old link').click()
    await heading(page, 'Speech').waitFor()
    expect(address(page)).toBe('/dashboard/speak')
    await page.goBack()
    await heading(page, 'Search').waitFor()
  })
})

test('An operator switches between using and operating, and comes back to where one was in each.', async () => {
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    const switchTo = (name: string) =>
      page.getByRole('navigation', { name: 'Space' }).getByRole('link', { name }).click()
    await page.goto('/admin')
    await heading(page, 'Overview').waitFor()
    expect((await entries(page)).map((text) => text.trim())).toEqual(operatorEntries)
    await page.goto('/admin/requests?tab=paid')
    await heading(page, 'Requests').waitFor()
    await switchTo('Use')
    await heading(page, 'Chat').waitFor()
    expect((await entries(page)).map((text) => text.trim())).toEqual(memberEntries)
    await rail(page).getByRole('link', { name: 'Keys' }).click()
    await heading(page, 'Keys').waitFor()
    await switchTo('Operate')
    await heading(page, 'Requests').waitFor()
    expect(address(page)).toBe('/admin/requests?tab=paid')
    await switchTo('Use')
    await heading(page, 'Keys').waitFor()
    expect(await visit.axe()).toEqual([])
  })
})

test('On a phone the rail is a sheet: it takes the focus and gives it back, and a link, Esc, a press beside it and a wide window close it.', async () => {
  await site.visit({ account: await site.operator(), size: 'narrow' }, async (visit) => {
    const { page } = visit
    const menu = page.getByRole('button', { name: 'Menu' })
    const sheet = page.getByRole('dialog', { name: 'Menu' })
    const closed = async () => {
      await sheet.waitFor({ state: 'detached' })
      await page.locator('button:focus').waitFor()
      expect(await menu.evaluate((button) => button === document.activeElement)).toBe(true)
    }
    await page.goto('/dashboard/keys')
    await heading(page, 'Keys').waitFor()
    await menu.click()
    await sheet.locator(':focus').waitFor()
    expect(await visit.axe()).toEqual([])
    await page.keyboard.press('Escape')
    await closed()
    await menu.click()
    await page.mouse.click(350, 400)
    await closed()
    await menu.click()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await closed()
    await menu.click()
    await sheet.getByRole('link', { name: 'Usage & billing' }).click()
    await heading(page, 'Usage & billing').waitFor()
    await sheet.waitFor({ state: 'detached' })
    expect(await page.locator('h1:focus').count()).toBe(1)
    await menu.click()
    await sheet.waitFor()
    await page.setViewportSize(sizes.wide)
    await sheet.waitFor({ state: 'detached' })
    await rail(page).getByRole('link', { name: 'Account' }).click()
    await heading(page, 'Account').waitFor()
  })
})

test('The pages are installable without a service worker: a manifest without errors, icons that show the mark, and the theme in the browser’s bars.', async () => {
  await site.visit({ account: await site.visitor('/dashboard') }, async ({ page, context }) => {
    await page.goto('/dashboard')
    await heading(page, 'Chat').waitFor()
    const cdp = await context.newCDPSession(page)
    const { url, errors, data } = await cdp.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toStartWith('application/manifest+json')
    expect(response.headers.get('content-security-policy')).toContain("manifest-src 'self'")
    const manifest = JSON.parse(data ?? '')
    expect(manifest).toMatchObject({ name: 'inferd', id: '/dashboard', start_url: '/dashboard', display: 'standalone' })
    // A context of its own is always private, which is the one reason left.
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])
    expect(await page.evaluate(() => navigator.serviceWorker.getRegistrations())).toEqual([])

    const apple = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
    const addresses = [...manifest.icons.map(({ src }: { src: string }) => src), apple]
    const browser = context.browser()
    if (browser === null) throw new Error('the context has no browser: this is a bug')
    for (const [index, icon] of appIcons.entries()) {
      const answer = await fetch(new URL(addresses[index], url))
      expect(answer.headers.get('content-type')).toBe('image/png')
      const drawn = await drawAppIcon(browser, icon)
      expect(await pictureDifference(browser, await answer.bytes(), drawn)).toBeLessThan(0.02)
    }

    const inForce = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')]
          .filter(({ media }) => matchMedia(media).matches)
          .map(({ content }) => content),
      )
    const surface = () => page.locator('.top-line').evaluate((line) => getComputedStyle(line).backgroundColor)
    expect(await inForce()).toEqual(['#ffffff'])
    expect(await surface()).toBe('rgb(255, 255, 255)')
    await page.locator('.account-menu summary').click()
    await page.getByLabel('Theme').selectOption('Dark')
    expect(await inForce()).toEqual(['#17181e'])
    expect(await surface()).toBe('rgb(23, 24, 30)')
  })
})

test('Signing out says that conversations stay in this browser, and deletes them if that is wanted.', async () => {
  const account = await site.account({ balanceUsd: '1' })
  await site.visit({}, async (visit) => {
    const { page } = visit
    const signIn = async () => {
      await page.goto('/dashboard/sign-in')
      await page.getByLabel('Mail address').fill(account.email)
      await page.getByLabel('Password').fill(account.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
    }
    const signOut = async () => {
      await page.locator('.account-menu summary').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    const dialog = page.getByRole('dialog', { name: 'Sign out?' })
    const kept = page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('button', { name: 'Hello', exact: true })

    await signIn()
    // Nothing is kept yet, so nothing is asked.
    await signOut()
    await page.waitForURL('**/dashboard/sign-in')

    await signIn()
    await say(page, 'Hello')
    await page.locator('.step .details-button').waitFor()
    await signOut()
    await dialog.getByText('1 conversation stays in this browser').waitFor()
    expect(await visit.axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/dashboard/sign-in')

    await signIn()
    await kept.waitFor()
    await signOut()
    await dialog.getByLabel('Delete them from this browser').check()
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/dashboard/sign-in')

    await signIn()
    await signOut()
    await page.waitForURL('**/dashboard/sign-in')
    expect(await dialog.count()).toBe(0)
  })
})

test('A list that its filters left empty says so and shows all again.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/system?tab=audit&actor=nobody')
    await page.getByText('No entry fits this filter.').waitFor()
    const who = page.getByRole('searchbox').first()
    expect(await who.inputValue()).toBe('nobody')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('cell', { name: 'operator.setup' }).first().waitFor()
    expect(await who.inputValue()).toBe('')
    await page.goto('/admin/system?tab=log')
    await page.getByRole('searchbox').fill('no line says this')
    await page.getByText('No line fits.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('No line fits.').waitFor({ state: 'detached' })
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
  })
})
