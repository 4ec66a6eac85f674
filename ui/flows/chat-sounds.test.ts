import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hearingModel } from '../../src/testing/gguf/hearing-models.ts'
import { writeModel } from '../../src/testing/gguf/model-file.ts'
import { recording } from '../../src/testing/recording.ts'
import { figures, give, openChat, say } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
const { dataDir } = site.inferd
addFakeModel(site.inferd, 'deaf')
const folder = join(dataDir, 'models.d')
mkdirSync(folder, { recursive: true, mode: 0o700 })
const lines = [
  ...['id = "test/hears"', 'type = "chat"', 'engine = "llama"', 'context_length = 2048'],
  ...['[capabilities]', 'audio = true', '[defaults]', 'max_tokens = 8'],
  ...['[pricing]', 'input = 1', 'output = 1', 'unit = "1M_tokens"'],
  ...['model', 'mmproj'].flatMap((role) => ['[[files]]', `role = "${role}"`, `path = "${join(dataDir, role)}.gguf"`]),
]
writeFileSync(join(folder, 'hears.toml'), `${lines.join('\n')}\n`)
const plans = hearingModel('ultravox')
await writeModel(plans.model, join(dataDir, 'model.gguf'))
await writeModel(plans.projector, join(dataDir, 'mmproj.gguf'))

test('A recording that is dropped is heard, stays in the conversation, and is refused where nobody hears.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '5' }) }, async ({ page }) => {
    const list = page.locator('.composer .attachments li')
    const sound = recording(1)
    await openChat(page, 'test/deaf')
    await give(page, 'drop', sound, 'voice.wav', 'audio/wav')
    await page.getByRole('alert').getByText('test/deaf does not hear recordings').waitFor()
    expect(await list.count()).toBe(0)

    await openChat(page, 'test/hears')
    await give(page, 'drop', sound, 'voice.wav', 'audio/wav')
    await list.getByText('voice.wav 32.0 kB').waitFor()
    await say(page, 'What is it?')
    const shown = await figures(page)
    expect(Number(shown['tokens in'])).toBeGreaterThan(375)
    await page.reload()
    await page.locator('.question .attachments li').getByText('voice.wav 32.0 kB').waitFor()
  })
})
