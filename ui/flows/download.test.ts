import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startFakeHub } from '../../src/testing/fake-hub/fake-hub.ts'
import { openSite } from '../testing/site.ts'

const hub = await startFakeHub()
afterAll(() => hub[Symbol.asyncDispose]())
const repository = 'maker/Files'
const content = () => new Uint8Array(3_000_000).fill(7)
for (const name of ['slow', 'later']) hub.put(repository, `${name}.bin`, content(), { isLinked: true })
// File whose stated length is larger than any disk
const huge = hub.put(repository, 'huge.bin', content(), { isLinked: true }).files.get('huge.bin')
if (huge !== undefined) Object.defineProperty(huge.content, 'length', { value: 9e12 })

const flags = ['--pull-rate', '300kB']
const site = openSite({ flags, environment: { HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' } })

/** Writes the manifest of a model whose file is on the hub. */
function describe(name: string): void {
  const folder = join(site.inferd.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = `[[files]]\nrole = "model"\nname = "${name}.bin"\nurl = "hf://${repository}/${name}.bin"\n`
  writeFileSync(join(folder, `${name}.toml`), `id = "me/${name}"\ntype = "chat"\nengine = "fake"\n${file}`)
}

describe('slow')
describe('later')
describe('huge')

const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`me/${name}`) })
const press = (page: Page, name: string, button: string) =>
  rowOf(page, name)
    .getByRole('button', { name: `${button} me/${name}` })
    .click()
const progress = /([\d.]+) [kM]?B of 3\.0 MB, [\d.]+ kB\/s, [\d.]+ m?s left/

test('A download shows bytes and ETA, survives a reload of the page, can be cancelled, and says at once when there is no network or no room.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/models?search=me/')
    await press(page, 'slow', 'Download')
    // A download takes hours and much of the disk, so the page first tells how much, and whether the model will fit.
    const asking = page.getByRole('dialog', { name: 'Download me/slow?' })
    await asking.getByText('3.0 MB').first().waitFor()
    await asking.getByText('free on this disk').waitFor()
    await asking.getByText(/^fits: RAM has .* free, needs/).waitFor()
    expect(hub.requests.filter(({ at }) => at === 'store')).toEqual([])
    await asking.getByRole('button', { name: 'Download 3.0 MB' }).click()
    await rowOf(page, 'slow').getByText(progress).waitFor()
    await page.reload()
    await rowOf(page, 'slow').getByText(progress).waitFor()
    const bar = rowOf(page, 'slow').getByRole('progressbar')
    const shown = Number(await bar.getAttribute('value'))
    expect(shown).toBeGreaterThan(0)
    expect(shown).toBeLessThan(3_000_000)

    await press(page, 'slow', 'Cancel')
    await rowOf(page, 'slow').getByText('download interrupted').waitFor()
    await press(page, 'slow', 'Resume')
    await rowOf(page, 'slow').getByText(progress).waitFor()
    // The server ends during the download. Its bytes stay, and the page says so once the server is back.
    await site.inferd.stop()
    await page.getByText('No connection to inferd since').waitFor()
    // A link to the other area's document leads nowhere meanwhile.
    await page.getByRole('link', { name: 'Chat' }).click()
    await site.inferd.start(['--pull-rate', '3MB'])
    await rowOf(page, 'slow').getByText('download interrupted').waitFor()
    await press(page, 'slow', 'Resume')
    await rowOf(page, 'slow').getByText('not loaded').waitFor()
    await rowOf(page, 'slow').getByText('3.0 MB').first().waitFor()

    await press(page, 'huge', 'Download')
    await page.getByText('The disk has too little room.').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Download/ })
      .click()
    await page
      .getByRole('dialog')
      .getByText(/The disk has .* free and needs/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(hub.requests.filter(({ at, url }) => at === 'store' && url.pathname.includes('huge'))).toEqual([])

    await hub[Symbol.asyncDispose]()
    await press(page, 'later', 'Download')
    await page
      .getByRole('dialog')
      .getByText(/cannot be reached|connect|no answer/i)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    // A form that failed tries again when its button is pressed again.
    await page.getByRole('button', { name: 'Get a model' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What to download').fill('hf:maker/Other:Q4_K_M')
    await dialog.getByLabel('Id of the model').fill('me/other')
    for (let tries = 0; tries < 2; tries += 1) {
      const answer = page.waitForResponse('**/operations/models-pull-preview')
      await dialog.getByRole('button', { name: 'Download' }).click()
      await answer
      await dialog.getByText(/cannot be reached|connect|no answer/i).waitFor()
    }

    await dialog.getByLabel('What to download').fill('nobody/nothing')
    await dialog.getByRole('button', { name: 'Download' }).click()
    await dialog.getByText(/The catalog has no model "nobody\/nothing"; '\S.* list --data \S+' shows/).waitFor()
  })
})
