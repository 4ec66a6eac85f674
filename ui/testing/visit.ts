import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { TestAccount } from './accounts.ts'
import type { Inferd } from './inferd.ts'

export const sizes = {
  narrow: { width: 360, height: 740 },
  medium: { width: 768, height: 1024 },
  wide: { width: 1280, height: 800 },
} as const

export interface VisitOptions {
  /** Account that is signed in. Undefined means nobody. */
  readonly account?: Pick<TestAccount, 'session'>
  readonly size?: keyof typeof sizes
  readonly theme?: 'light' | 'dark'
  /** True for a screen that fingers press */
  readonly isTouch?: boolean
  readonly timezoneId?: string
  /** Origin instead of the server's own, such as http://box.lan:PORT */
  readonly origin?: string
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const failurePath = join(import.meta.dir, '..', '..', 'build', 'screens', 'failed.png')

/** One browser context, with separate cookies and storage */
export class Visit {
  readonly #context: BrowserContext
  readonly #origin: string
  /** Forbidden things that pages did */
  readonly wrongs: string[] = []
  readonly page: Page

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context
    this.#origin = origin
    this.page = page
    this.#watch(page)
    context.on('page', (opened) => this.#watch(opened))
  }

  /**
   * Runs a test in a new context. Rejects with the test's error and all forbidden things that pages did, and leaves a
   * screenshot in build/screens/failed.png.
   */
  static async run(browser: Browser, inferd: Inferd, options: VisitOptions, work: (visit: Visit) => Promise<void>) {
    const visit = await Visit.#begin(browser, inferd, options)
    let thrown: unknown
    try {
      await work(visit)
      if (!visit.page.isClosed()) await visit.checkWidth()
    } catch (error) {
      thrown = error
    }
    if (visit.wrongs.length > 0) thrown = new Error([...visit.wrongs, String(thrown ?? '')].join('\n'))
    if (thrown !== undefined) await visit.page.screenshot({ path: failurePath }).catch(() => undefined)
    await visit.#context.close()
    if (thrown !== undefined) throw thrown
  }

  static async #begin(browser: Browser, inferd: Inferd, options: VisitOptions): Promise<Visit> {
    const origin = options.origin ?? inferd.url
    const context = await browser.newContext({
      baseURL: origin,
      viewport: sizes[options.size ?? 'wide'],
      colorScheme: options.theme ?? 'light',
      locale: 'en-GB',
      timezoneId: options.timezoneId ?? 'Europe/Berlin',
      permissions: [],
      hasTouch: options.isTouch === true,
    })
    context.setDefaultTimeout(15_000)
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`blocked by policy: ${violatedDirective} ${blockedURI}`),
      )
    })
    if (options.account !== undefined) {
      await context.addCookies([{ name: 'inferd_session', value: options.account.session, url: origin }])
    }
    return new Visit(context, await context.newPage(), origin)
  }

  get context(): BrowserContext {
    return this.#context
  }

  #watch(page: Page): void {
    page.on('console', (message) => {
      // An answer with an error status is logged too, but the page shows its meaning and tests check that.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
      this.wrongs.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => this.wrongs.push(`error in the page: ${error.stack || String(error)}`))
    page.on('request', (request) => {
      const url = new URL(request.url())
      const isOwn = url.origin === this.#origin || ['data:', 'blob:'].includes(url.protocol)
      if (!isOwn) this.wrongs.push(`request to another host: ${url.href}`)
    })
  }

  /** Records content that is wider than the window. Called at the end, and by tests in states between. */
  async checkWidth(what = this.page.url()): Promise<void> {
    const [content, window] = await this.page.evaluate(
      () => [document.documentElement.scrollWidth, innerWidth] as const,
    )
    if (content > window) this.wrongs.push(`${what} scrolls sideways: ${content} px in a window of ${window} px`)
  }

  /** Records what fingers cannot use well: low targets, fields that a phone zooms into, a top line of two rows. */
  async checkTouch(what: string): Promise<void> {
    const found = await this.page.evaluate(() => {
      const shown = (selector: string) =>
        [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility())
      const boxOf = (element: HTMLElement) => (element.closest('label') ?? element).getBoundingClientRect()
      const low = shown('button, .button, select, input:not([type=file]), textarea, summary, nav a, td a')
      const typed = shown('select, textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file])')
      const rows = shown('.top-line').filter((line) => line.offsetHeight > 57)
      const named = (element: HTMLElement) => element.outerHTML.slice(0, 120)
      return [
        ...low.filter((element) => boxOf(element).height < 43.5).map((one) => `is lower than 44 px: ${named(one)}`),
        ...typed
          .filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < 16)
          .map((one) => `zooms: ${named(one)}`),
        ...rows.map(({ offsetHeight }) => `has a top line of ${offsetHeight} px`),
      ]
    })
    this.wrongs.push(...found.map((wrong) => `${what} ${wrong}`))
  }

  axe(): Promise<string[]> {
    return seriousFindings(this.page)
  }
}

/**
 * Returns the serious and critical findings of axe, one line each. Waits for running transitions, during which
 * contrast is poor.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    const finite = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(finite.map(({ finished }) => finished)).then(() => undefined)
  })
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is in the page, where it has no type.
    const { violations } = await (globalThis as any).axe.run()
    interface Violation {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
    }
    return (violations as Violation[])
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join('; ')}`,
      )
  })
}
