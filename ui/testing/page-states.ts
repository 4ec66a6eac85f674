/** States that every page has, each brought about from outside: see docs/pages.md. */
import type { Page } from 'playwright-core'
import { texts } from '../texts/texts.ts'

const api = /\/(dashboard|admin)\/(api|v1)\//
/** Requests of the shell, without which no page is shown. */
const shell = /\/dashboard\/api\/(operations\/accounts-show-own|status)$/

const failure = {
  error: {
    message: 'The server failed while it answered. Try again; its log says more under the request id.',
    type: 'server_error',
    param: null,
    code: 'internal_error',
  },
}

/** Opens a page in a state. */
export type OpenState = (page: Page, path: string) => Promise<void>

export const pageStates = {
  async ready(page, path) {
    await open(page, path)
    await page.locator('.placeholder').first().waitFor({ state: 'detached' })
  },
  async loading(page, path) {
    await page.route(isOfPage, () => undefined) // never answered
    await open(page, path)
    // The placeholder appears after a moment, so that it does not flicker before quick answers.
    await page.waitForFunction(() => {
      const placeholder = document.querySelector('.placeholder')
      return placeholder === null || getComputedStyle(placeholder).opacity === '1'
    })
  },
  async failed(page, path) {
    const headers = { 'x-request-id': 'req_0123456789abcdef' }
    await page.route(isOfPage, (route) => route.fulfill({ status: 500, json: failure, headers }))
    await open(page, path)
    await page.locator('.placeholder').first().waitFor({ state: 'detached' })
  },
  async offline(page, path) {
    await open(page, path)
    await page.context().setOffline(true)
    // A request that began before may still succeed, so new ones are triggered until one fails.
    const noticed = () => {
      dispatchEvent(new Event('focus'))
      return document.querySelector('.bar.bad') !== null
    }
    await page.waitForFunction(noticed, null, { polling: 500 })
  },
  async 'signed out'(page, path) {
    await open(page, path)
    await page.context().clearCookies()
    await page.evaluate(() => globalThis.dispatchEvent(new Event('focus')))
    await page.getByRole('dialog').waitFor()
  },
} satisfies Readonly<Record<string, OpenState>>

export type PageState = keyof typeof pageStates

function isOfPage(url: URL): boolean {
  return api.test(url.pathname) && !shell.test(url.pathname)
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  const heading = page.getByRole('heading', { level: 1 })
  await heading.waitFor()
  if ((await heading.textContent()) === texts.shell.missing) throw new Error(`the pages do not know ${path}`)
}
