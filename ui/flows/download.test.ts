import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startFakeHub } from '../../src/testing/fake-hub/fake-hub.ts'
import { tinyGguf } from '../../src/testing/gguf/tiny-gguf.ts'
import { openSite } from '../testing/site.ts'

const hub = await startFakeHub()
afterAll(() => hub[Symbol.asyncDispose]())
const repository = 'maker/Files'
const content = () => new Uint8Array(3_000_000).fill(7)
for (const name of ['slow', 'later', 'best']) hub.put(repository, `${name}.bin`, content(), { isLinked: true })
// File whose stated length is larger than any disk
const huge = hub.put(repository, 'huge.bin', content(), { isLinked: true }).files.get('huge.bin')
if (huge !== undefined) Object.defineProperty(huge.content, 'length', { value: 9e12 })

// A repository of quantizations
const tiny = 'maker/Tiny-GGUF'
const model = tinyGguf({ contextTokens: 2048 })
for (const name of ['tiny-Q4_K_M.gguf', 'tiny-F16.gguf']) hub.put(tiny, name, model, { isLinked: true })
Object.assign(hub.put(tiny, 'README.md', content()), { license: 'mit', task: 'text-generation', downloads: 1234 })

const flags = ['--pull-rate', '300kB']
const site = openSite({ flags, environment: { HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' } })

/** Writes the manifest of a model whose file is on the hub. `facts` and `fileFacts` are lines of TOML. */
function describe(name: string, facts = 'type = "chat"', fileFacts = ''): void {
  const folder = join(site.inferd.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = `[[files]]\nrole = "model"\nname = "${name}.bin"\nurl = "hf://${repository}/${name}.bin"\n${fileFacts}`
  writeFileSync(join(folder, `${name}.toml`), `id = "me/${name}"\n${facts}\nengine = "fake"\n${file}`)
}

describe('slow')
describe('later')
describe('huge')
// The only model of its kind whose size is known, so the one that is recommended
describe('best', 'type = "rerank"\nwhy = "Made for tests"', 'bytes = 3000000\n')

/** Returns the number of requests for bytes of files. */
const bytesAsked = () => hub.requests.filter(({ at }) => at === 'store').length
const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`me/${name}`) })
const press = (page: Page, name: string, button: string) =>
  rowOf(page, name)
    .getByRole('button', { name: `${button} me/${name}` })
    .click()
const progress = /([\d.]+) [kM]?B of 3\.0 MB, [\d.]+ kB\/s, [\d.]+ m?s left/

test('A model of the hub is found, chosen by what fits and downloaded, and nothing is asked of the hub before.', async () => {
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    const { host } = new URL(hub.origin)
    await page.goto('/admin/models')
    await page.getByRole('button', { name: 'Get a model' }).click()
    const dialog = page.getByRole('dialog', { name: 'Get a model' })
    const field = dialog.getByRole('searchbox', { name: `Search ${host}` })
    await field.pressSequentially('tiny gguf')
    for (const tab of ['Address', 'Disk', 'Hub']) await dialog.getByRole('tab', { name: tab }).click()
    expect(hub.requests).toEqual([])

    await field.fill('tiny gguf')
    await field.press('Enter')
    const found = dialog.getByRole('row', { name: new RegExp(tiny) })
    await found.getByText('1,234').waitFor()
    expect(await visit.axe()).toEqual([])
    expect(hub.requests).toHaveLength(1)
    await found.getByRole('button', { name: `Choose ${tiny}` }).click()
    await dialog.getByRole('row', { name: /Q4_K_M recommended.*366 kB.*fits beside the others/ }).waitFor()
    expect(await visit.axe()).toEqual([])
    // The keyboard stays where the person is.
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    expect(await focused()).toBe(tiny)
    // The way back shows the same results without asking for them again.
    const asked = hub.requests.length
    await dialog.getByRole('button', { name: 'Other repositories' }).click()
    await found.waitFor()
    expect(hub.requests).toHaveLength(asked)
    await found.getByRole('button', { name: `Choose ${tiny}` }).click()
    await dialog.getByRole('button', { name: 'Download… Q4_K_M' }).click()

    const asking = page.getByRole('dialog', { name: 'Download maker/Tiny?' })
    await asking.getByText('free on this disk').waitFor()
    await asking.getByText('mit', { exact: true }).waitFor()
    await asking.getByLabel('Id of the model').fill('me/tiny')
    // The first request of the download reads the model's header. Its bytes are held back until the end.
    const before = bytesAsked()
    const gate = Promise.withResolvers<undefined>()
    hub.fault = ({ at, number }) => (at === 'store' && number > before + 1 ? gate.promise : undefined)
    await asking.getByRole('button', { name: 'Download 366 kB' }).click()
    // Its progress is shown where it was asked for, and on every page in the top line, also after a reload.
    const progressing = page.getByRole('dialog', { name: 'Download of me/tiny' })
    await progressing.getByText('0 B of 366 kB, waiting for the source').waitFor()
    expect(await visit.axe()).toEqual([])
    await progressing.getByRole('button', { name: 'Close' }).click()
    const menu = page.getByRole('banner').locator('summary', { hasText: /1 download \d+ %/ })
    await menu.waitFor()
    await page.goto('/dashboard/keys')
    await menu.click()
    await page.getByRole('progressbar', { name: 'Download of me/tiny' }).waitFor()
    expect(await visit.axe()).toEqual([])
    await page.getByRole('button', { name: 'Cancel the download of me/tiny' }).click()
    await menu.waitFor({ state: 'detached' })
    hub.fault = () => undefined
    gate.resolve(undefined)
    await page.goto('/admin/models?search=me/tiny')
    await page.getByText('download interrupted').waitFor()
  })
})

test('A download shows bytes and ETA, survives a reload of the page, can be cancelled, and says at once when there is no network or no room.', async () => {
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    await page.goto('/admin/models?search=me/')
    // A recommended model is downloaded from its card, which shows the progress.
    const card = page.locator('.model-card', { hasText: 'me/best' })
    await card.getByText('Made for tests').waitFor()
    await card.getByRole('button', { name: 'Download me/best' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Download 3.0 MB' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await card.getByText(progress).waitFor()
    await card.getByRole('progressbar').waitFor()
    await card.getByRole('button', { name: 'Cancel me/best' }).click()
    await card.getByText('download interrupted').waitFor()

    const before = bytesAsked()
    await press(page, 'slow', 'Download')
    // A download takes hours and much of the disk, so the page first tells how much, and whether the model will fit.
    const asking = page.getByRole('dialog', { name: 'Download me/slow?' })
    await asking.getByText('3.0 MB').first().waitFor()
    await asking.getByText('free on this disk').waitFor()
    await asking.getByText(/^fits: RAM has .* free, needs/).waitFor()
    expect(bytesAsked()).toBe(before)
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
    await page.getByRole('link', { name: 'Use', exact: true }).click()
    await site.inferd.start(['--pull-rate', '3MB'])
    await rowOf(page, 'slow').getByText('download interrupted').waitFor()
    await press(page, 'slow', 'Resume')
    await rowOf(page, 'slow').getByText('not loaded').waitFor()
    await rowOf(page, 'slow').getByText('3.0 MB').first().waitFor()

    const beforeHuge = bytesAsked()
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
    expect(bytesAsked()).toBe(beforeHuge)

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
    await dialog.getByRole('searchbox').fill('tiny')
    await dialog.getByRole('button', { name: 'Search' }).click()
    await dialog.getByText(/cannot be reached|connect/i).waitFor()
    await dialog.getByRole('button', { name: 'Get one from a disk' }).click()
    // A path of the server's disk works without a network. What is no model is told at the field.
    const path = join(site.inferd.dataDir, 'carried.gguf')
    await dialog.getByLabel('Path on the server').fill(path)
    await dialog.getByRole('button', { name: 'Look' }).click()
    await dialog.getByText(`${path} does not exist`).waitFor()
    writeFileSync(path, model)
    await dialog.getByRole('button', { name: 'Look' }).click()
    await dialog.getByLabel('Id of the model').fill('me/carried')
    expect(await visit.axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('dialog', { name: 'Import of me/carried' }).getByText('It is here.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await rowOf(page, 'carried').getByText('not loaded').waitFor()
    await page.getByRole('button', { name: 'Get a model' }).click()
    await dialog.getByRole('tab', { name: 'Address' }).click()
    await dialog.getByLabel('What to download').fill('hf:maker/Other:Q4_K_M')
    await dialog.getByLabel('Id of the model').fill('me/other')
    for (let tries = 0; tries < 2; tries += 1) {
      const answer = page.waitForResponse('**/operations/models-pull-preview')
      await dialog.getByRole('button', { name: 'Next' }).click()
      await answer
      await dialog.getByText(/cannot be reached|connect|no answer/i).waitFor()
    }

    await dialog.getByLabel('What to download').fill('nobody/nothing')
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByText(/The catalog has no model "nobody\/nothing"; '\S.* list --data \S+' shows/).waitFor()
  })
})
