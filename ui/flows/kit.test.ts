/** The look of all parts, held by pictures: `bun run screens --kit` takes them anew after a change that is meant. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../testing/chromium.ts'
import { kitPictures, kitSizes, openKit, serveKit, shots, takeShot } from '../testing/kit.ts'
import { pictureDifference } from '../testing/picture-difference.ts'
import { seriousFindings } from '../testing/visit.ts'

/** Share of a square's pixels that may differ, since browsers draw edges and arrows differently */
const mayDiffer = 0.04

let browser: Browser
let kit: Awaited<ReturnType<typeof serveKit>>

beforeAll(async () => {
  ;[browser, kit] = await Promise.all([launchChromium(), serveKit()])
}, 60_000)

afterAll(async () => {
  await browser.close()
  await kit[Symbol.asyncDispose]()
})

test.each(shots)('$name looks as in its picture', async (shot) => {
  const shown = await takeShot(browser, kit.url, shot)
  const difference = await pictureDifference(browser, readFileSync(join(kitPictures, `${shot.name}.png`)), shown)
  if (difference > mayDiffer) writeFileSync(join(import.meta.dir, '..', '..', 'build', `${shot.name}.png`), shown)
  expect(difference).toBeLessThanOrEqual(mayDiffer)
})

const looks = Object.values(kitSizes).flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
)

test.each(looks)('all parts are accessible and none is wider than $width px, $theme', async (look) => {
  const page = await openKit(browser, kit.url, look, false)
  expect(await seriousFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.width)
  await page.context().close()
})
