import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSite } from '../testing/site.ts'

const spoken = join(import.meta.dir, '..', '..', 'src', 'engines', 'speech', 'fixtures', 'two-sentences.wav')

const site = openSite()
const folder = join(site.inferd.dataDir, 'models.d')
mkdirSync(folder, { recursive: true, mode: 0o700 })
writeFileSync(
  join(folder, 'translator.toml'),
  `id = "test/translator"
type = "stt"
engine = "fake"
[pricing]
price = 0.01
unit = "minute"
[capabilities]
translation = true
`,
)

test('A model that translates offers English, and then no speakers; other models do not offer it.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '1' }), size: 'narrow' }, async (visit) => {
    const { page } = visit
    await page.goto('/dashboard/transcribe?model=inferd/starter-stt')
    await page.getByLabel('Label the speakers').waitFor()
    const translate = page.getByLabel('Translate into English')
    expect(await translate.count()).toBe(0)
    await page.goto('/dashboard/transcribe?model=test/translator')
    await translate.press('Space')
    await page.getByLabel('Choose a file').setInputFiles(spoken)
    expect(await visit.axe()).toEqual([])
    const sent = page.waitForRequest('**/dashboard/v1/audio/translations')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await sent
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    expect(await page.locator('.turns').textContent()).toContain('w0 w1')
    await page.locator('dl.figures').waitFor()
    expect(await page.locator('dl.figures dt').allTextContents()).not.toContain('language')
  })
})
