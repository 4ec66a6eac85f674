import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { allPages } from '../testing/all-pages.ts'
import { maximumScriptBytes, maximumStyleBytes } from '../testing/budget.ts'
import { pageStates } from '../testing/page-states.ts'
import { areInOrder, reachByTab } from '../testing/reach.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()

/**
 * Makes all other hosts unreachable for a page. Returns the hosts that it requests and its console's errors, both
 * growing.
 */
async function denyOtherHosts(page: Page): Promise<{ hosts: ReadonlySet<string>; errors: readonly string[] }> {
  const hosts = new Set<string>()
  const errors: string[] = []
  page.on('request', (request) => {
    const { host } = new URL(request.url())
    if (host !== '') hosts.add(host)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  await page.route(
    (url) => url.origin !== site.inferd.url && url.protocol.startsWith('http'),
    (route) => route.abort(),
  )
  return { hosts, errors }
}

describe('Every page in every state: axe finds nothing serious, nothing scrolls sideways at 360 px, focus is visible, all is reachable by Tab, headings are in order, light and dark, 200 % zoom, reduced motion, and only this host is asked.', () => {
  for (const { path, address, isForGuests, states } of allPages) {
    test(path, async () => {
      const account = isForGuests ? undefined : await site.visitor(path)
      const narrow = {
        ...(account !== undefined && { account }),
        size: 'narrow',
        isTouch: true,
        theme: 'light',
      } as const
      // All states are visited at the same time, because most of each visit is waiting.
      const visits = states.map((state) =>
        site.visit(narrow, async (visit) => {
          await pageStates[state](visit.page, address)
          expect({ state, found: await visit.axe() }).toEqual({ state, found: [] })
          await visit.checkWidth(`${path}, ${state}`)
          await visit.checkTouch(`${path}, ${state}`)
        }),
      )
      await Promise.all(visits)
      await site.visit({ ...(account !== undefined && { account }), theme: 'dark' }, async (visit) => {
        const { page } = visit
        const { hosts, errors } = await denyOtherHosts(page)
        await page.emulateMedia({ reducedMotion: 'reduce' })
        await pageStates.ready(page, address)
        expect(hosts).toEqual(new Set([new URL(site.inferd.url).host]))
        // No page sends requests that must be refused, since a refusal is a console error. Only the page of a wrong
        // path has one.
        if (!path.endsWith('*')) expect(errors).toEqual([])
        expect(await visit.axe()).toEqual([])
        const { unreached, unmarked, headings } = await reachByTab(page)
        expect({ unreached, unmarked }).toEqual({ unreached: [], unmarked: [] })
        expect({ headings, areInOrder: areInOrder(headings) }).toEqual({ headings, areInOrder: true })
        // Equals a window of 1280 px at 200 %.
        await page.setViewportSize({ width: 640, height: 400 })
        await visit.checkWidth(`${path} at 200 %`)
      })
    })
  }
})

test('`/ui/` files carry CSP, nosniff and immutable; HTML carries CSP and no-store; sizes are within the budget.', async () => {
  await site.visit({}, async ({ page }) => {
    const answers: Record<string, Readonly<Record<string, string>>> = {}
    page.on('response', (response) => {
      answers[new URL(response.url()).pathname] = response.headers()
    })
    await pageStates.ready(page, '/dashboard/sign-in')
    const files = Object.keys(answers).filter((path) => path.startsWith('/ui/'))
    expect(files.length).toBeGreaterThan(4)
    const secure = {
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'"),
      'x-content-type-options': 'nosniff',
    }
    for (const file of files) {
      expect(answers[file]).toMatchObject({ ...secure, 'cache-control': 'public, max-age=31536000, immutable' })
    }
    expect(answers['/dashboard/sign-in']).toMatchObject({ ...secure, 'cache-control': 'no-store' })
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map((entry) => ({
        name: entry.name,
        bytes: entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0,
      })),
    )
    const bytesOf = (type: string) =>
      loaded.filter(({ name }) => name.endsWith(type)).reduce((sum, { bytes }) => sum + bytes, 0)
    expect(bytesOf('.js')).toBeLessThan(maximumScriptBytes)
    expect(bytesOf('.css')).toBeLessThan(maximumStyleBytes)
  })
})
