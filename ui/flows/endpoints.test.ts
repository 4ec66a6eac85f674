import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeCheckNote } from '../../src/catalog/check-note.ts'
import { openCatalog } from '../../src/catalog/open-catalog.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
// Addresses at which nothing listens
const [one, two] = ['http://127.0.0.1:9/v1', 'http://127.0.0.2:9/v1']
const folder = join(site.inferd.dataDir, 'models.d')
mkdirSync(folder, { recursive: true, mode: 0o700 })
const upstream = `[upstream]\nflavor = "vllm"\nmodel = "there"\nendpoints = ["${one}", "${two}"]\n`
writeFileSync(join(folder, 'behind.toml'), `id = "test/behind"\ntype = "chat"\nengine = "upstream"\n${upstream}`)

const manifest = openCatalog(site.inferd.dataDir).writtenManifest('test/behind')
if (manifest === undefined) throw new Error('the manifest is not read')
writeCheckNote(site.inferd.dataDir, manifest, { checkedAtMs: 1_750_000_000_000, lacks: ['tools', 'named-tools'] })

test('The page of an upstream model lists them and what a check found; one is drained and resumed; nothing serious for axe.', async () => {
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    await page.goto('/admin/models/test/behind')
    const row = page.getByRole('row', { name: two })
    await row.getByText('ok').waitFor()
    await page.getByText('tools, named tools').waitFor()
    expect(await page.getByRole('table', { name: 'Endpoints' }).getByRole('row').count()).toBe(3)
    await row.getByRole('button', { name: `Drain ${two}` }).click()
    await row.getByText('drained').waitFor()
    await page.getByText(`${two} gets no further requests`).waitFor()
    expect(await visit.axe()).toEqual([])
    await row.getByRole('button', { name: `Resume ${two}` }).click()
    await row.getByText('ok').waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await visit.checkWidth('/admin/models/test/behind')
    expect(await visit.axe()).toEqual([])
  })
}, 60_000)
