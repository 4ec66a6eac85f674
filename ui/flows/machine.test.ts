import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../src/testing/until.ts'
import { scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { type ScriptedDevice, ScriptedDriver } from '../testing/scripted-driver.ts'
import { openSite } from '../testing/site.ts'

const gigabyte = 1e9
const idle: ScriptedDevice = { totalMib: 143_771, otherMib: 2_000, load: 87, celsius: 61, watts: 412 }
const driver = new ScriptedDriver([idle])
afterAll(() => driver[Symbol.dispose]())

const site = openSite({ programs: driver.folder })
const gate = join(site.inferd.dataDir, 'gate')
Bun.spawnSync(['mkfifo', gate])
addFakeModel(site.inferd, 'large', {
  file: {
    gate,
    needBytes: { gpu0: 40 * gigabyte },
    memory: { gpu0: { modelBytes: 20 * gigabyte, contextBytes: 10 * gigabyte, computeBytes: gigabyte } },
    ...{ cacheTokens: 1_000, cacheLimitTokens: 4_000, draftedTokens: undefined, acceptedTokens: undefined },
  },
})
addFakeModel(site.inferd, 'steady')

/** Describes a chat model of the hub that is not here, for GPU and CPU. */
function describeAbsent(name: string, bytes: number): void {
  const file = `[[files]]\nrole = "model"\nurl = "hf://test/${name}/${name}.gguf"\nbytes = ${bytes}\n`
  const text = `id = "test/${name}"\ntype = "chat"\nengine = "llama"\n${file}`
  writeFileSync(join(site.inferd.dataDir, 'models.d', `${name}.toml`), text)
}
describeAbsent('half', 60 * gigabyte)
describeAbsent('most', 110 * gigabyte)
describeAbsent('beyond', 900 * gigabyte)

interface Engine {
  readonly modelId: string
  readonly pid: number | null
}

/** Returns the process id of a model's engine, as soon as it has a process. */
async function pidOf(page: Page, model: string): Promise<number> {
  const headers = { origin: site.inferd.url }
  const look = async () => {
    const response = await page.request.post('/admin/api/operations/models-status', { data: {}, headers })
    const { result } = (await response.json()) as { result: { engines: readonly Engine[] } }
    return result.engines.find(({ modelId }) => modelId === model)?.pid ?? 0
  }
  return until(`${model} has a process`, look, (pid) => pid > 0)
}

/** Sends a chat as programs do. Its answer outlasts every test and ends when `signal` aborts. */
function ask(model: string, signal?: AbortSignal): Promise<Response> {
  const script = [{ log: 'one two three' }, { repeat: 10_000, script: [{ text: 'word ' }, { delayMs: 50 }] }]
  return fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    ...(signal !== undefined && { signal }),
    headers: { authorization: `Bearer ${site.inferd.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: scripted(script) }] }),
  })
}

/** Reads an answer to its end. `begun` resolves with its first word, after which the request is not repeated. */
function readAnswer(answer: Response) {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of answer.body ?? []) if (decoder.decode(bytes).includes('word')) resolve()
  }
  return { begun, ended: read() }
}

const rowOf = (page: Page, model: string) => page.getByRole('row', { name: new RegExp(model) })

/** Returns the classes of a model's colour and texture. */
async function markOf(element: Locator): Promise<string[]> {
  const classes = (await element.getAttribute('class')) ?? ''
  return classes.split(' ').filter((name) => /^(series|texture)-/.test(name))
}

/** Finds a segment of the picture, which screen readers skip because there is a list too. */
const segmentOf = (bar: Locator, model: string) => bar.locator(`.memory-bar a[title^="${model} "]`)

test('Loading a model shows its segment growing on the device bar, then slots and tokens/s while a request runs, and the segment gone after Unload.', async () => {
  const model = 'test/large'
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page, context } = visit
    const overview = await context.newPage()
    await overview.goto('/admin')
    const bar = overview.getByRole('region', { name: 'GPU 0' })
    await bar.getByText('free 149 GB').first().waitFor()
    expect(await segmentOf(bar, model).count()).toBe(0)

    await page.goto('/admin/models?search=large')
    await rowOf(page, model)
      .getByRole('button', { name: `Load ${model}` })
      .click()
    const pid = await pidOf(page, model)
    const widths: number[] = []
    for (const mib of [8_000, 16_000, 30_000]) {
      driver.tell([{ ...idle, processes: { [pid]: mib } }])
      const size = `${((mib * 2 ** 20) / gigabyte).toFixed(1)} GB`
      await overview.locator(`.memory-bar a[title="${model} ${size}"]`).waitFor()
      await bar.getByRole('listitem').filter({ hasText: model }).getByText(size).waitFor()
      widths.push((await segmentOf(bar, model).boundingBox())?.width ?? 0)
    }
    const [first = 0, second = 0, third = 0] = widths
    expect(second / first).toBeCloseTo(2, 0)
    expect(third).toBeGreaterThan(second)
    await Bun.write(gate, 'go')

    await rowOf(page, model).getByText('ready 0/').waitFor()
    // Each count is the same wherever the page shows it.
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    const counts = await page.getByText(/\d+ models installed, 1 loaded$/).textContent()
    await page.getByRole('button', { name: `installed ${counts?.match(/\d+/)?.[0]}`, exact: true }).waitFor()
    await page.getByRole('button', { name: 'loaded 1', exact: true }).waitFor()
    await overview.getByText('1 model is loaded.').waitFor()
    // All pages use the same names for memory.
    await rowOf(page, model)
      .getByText(/^(used|estimate ≈) .* GPU 0/)
      .waitFor()
    await bar
      .getByRole('listitem')
      .filter({ hasText: model })
      .getByText(/GB used|estimate ≈/)
      .waitFor()
    const item = bar.getByRole('listitem').filter({ hasText: model })
    await item.getByText('weights 20.0 GB').waitFor()
    await item.getByText('KV cache 10.0 GB').waitFor()
    // The models page shows the same picture, and a model has one mark everywhere.
    const inMemory = page.getByRole('region', { name: 'In memory now' }).getByRole('region', { name: 'GPU 0' })
    await inMemory.getByText('KV cache 10.0 GB').waitFor()
    await inMemory.getByRole('listitem').filter({ hasText: model }).getByText('ready 0/').waitFor()
    const mark = await markOf(segmentOf(bar, model))
    expect(mark).toHaveLength(2)
    expect(await markOf(segmentOf(inMemory, model))).toEqual(mark)
    expect(await markOf(rowOf(page, model).locator('.key'))).toEqual(mark)
    expect(await markOf(rowOf(overview, model).locator('.key'))).toEqual(mark)
    // The loaded models decide whether others fit.
    await page.getByLabel('Search').fill('test/')
    await rowOf(page, 'test/half').getByText('fits beside the others').waitFor()
    await rowOf(page, 'test/most').getByText('fits alone').waitFor()
    await rowOf(page, 'test/beyond').getByText('too large').waitFor()
    for (const width of [360, 640, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await visit.checkWidth(`models at ${width} px`)
    }
    const leaving = new AbortController()
    const answer = ask(model, leaving.signal)
    await rowOf(page, model).getByText('ready 1/').waitFor()
    await rowOf(overview, model).getByText('1/').waitFor()
    await item.getByRole('img', { name: '1 running, 0 waiting' }).waitFor()
    await item.getByText(/[1-9][\d.]* tok\/s/).waitFor()
    await item.getByText('(25 % in use)').waitFor()
    await inMemory.getByText('(25 % in use)').waitFor()
    expect(await item.getByRole('img', { name: /output: now [1-9]/ }).count()).toBe(1)
    await answer
    leaving.abort()
    await rowOf(page, model).getByText('ready 0/').waitFor()

    await rowOf(page, model)
      .getByRole('button', { name: `Unload ${model}` })
      .click()
    await rowOf(page, model).getByText('not loaded').waitFor()
    driver.tell([idle])
    await segmentOf(bar, model).waitFor({ state: 'detached' })
    expect(await bar.getByRole('link', { name: model }).count()).toBe(0)
  })
})

test('The models page recommends one model per kind of work for this machine, folded once another than the starters is here.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/models')
    const title = page.getByText('Recommended for this machine')
    const cards = page.locator('.model-card')
    await title.waitFor()
    // Nothing is loaded, so there is nothing to fit beside.
    await rowOf(page, 'test/most')
      .getByText(/^✓ fits$/)
      .waitFor()
    expect(await cards.first().isVisible()).toBe(false)
    await title.click()
    await cards.first().waitFor()
    const texts = await cards.allInnerTexts()
    expect(texts.map((text) => text.split('\n')[0])).toEqual([
      ...['Chat', 'Chat with pictures', 'Search, comparing texts', 'Search, ranking documents'],
      ...['Speech, transcribing', 'Speech, transcribing with speakers', 'Speech, speaking'],
    ])
    const [chat = ''] = texts
    for (const part of ['openai/gpt-oss-120b', 'The largest of the catalog', '63.4 GB', 'Apache-2.0', 'fits', 'GPU 0'])
      expect(chat).toContain(part)
    await cards.first().getByRole('button', { name: 'Download openai/gpt-oss-120b' }).waitFor()
    // The same model stands first among its kind, marked.
    const first = page
      .getByRole('row')
      .filter({ has: page.getByText('recommended') })
      .first()
    await first.getByRole('link', { name: 'openai/gpt-oss-120b' }).waitFor()

    await page.getByLabel('Type').selectOption('Speech, transcribing with speakers')
    await page.getByRole('row', { name: /openai\/whisper-large-v3-turbo/ }).waitFor()
    expect(await page.getByRole('row', { name: /parakeet/ }).count()).toBe(0)
  })
})

test('`kill -9` of an engine shows failed, its last words and a restart count within 2 s; Restart brings it back; the request in flight is listed with charge $0.', async () => {
  const model = 'test/steady'
  await site.visit({ account: await site.operator() }, async ({ page, context }) => {
    await page.goto(`/admin/models/${model}`)
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByText('ready 0/').waitFor()
    const answer = readAnswer(await ask(model))
    await page.getByText('ready 1/').waitFor()
    await answer.begun
    // The engine restarts by itself after the first two kills.
    for (let kills = 1; kills <= 3; kills += 1) {
      const pid = await pidOf(page, model)
      await page.getByText('● ready').waitFor()
      process.kill(pid, 'SIGKILL')
      const restarts = page.getByRole('term').filter({ hasText: 'restarts' }).locator('xpath=following-sibling::*')
      await restarts.filter({ hasText: String(Math.min(kills, 2)) }).waitFor()
      if (kills > 1) continue
      const failure = page.getByRole('region', { name: 'Last failure' })
      await failure.getByText('SIGKILL').waitFor()
      await failure.locator('.last-words', { hasText: 'one two three' }).waitFor()
    }
    await page.getByText('▲ failed').waitFor()
    await answer.ended

    const requests = await context.newPage()
    await requests.goto('/admin/requests?tab=recent')
    const row = requests.getByRole('row', { name: /test\/steady/ }).first()
    await row.getByText('▲ failed').waitFor()
    await row.getByText('charged $0').waitFor()

    await page.getByRole('button', { name: 'Restart' }).click()
    await page.getByText('ready 0/').waitFor()
  })
})

test('A device that stops answering (scripted sampler) is hatched with its age within 5 s and its figures do not look live.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin')
    const bar = page.getByRole('region', { name: 'GPU 0' })
    await bar.getByText('61 °C · 412 W · 87 %').waitFor()
    const hatch = () =>
      bar.locator('.memory-bar').evaluate((element) => getComputedStyle(element, '::after').backgroundImage)
    expect(await hatch()).toBe('none')

    driver.hang()
    await bar.getByText(/does not answer, figures of .* ago/).waitFor()
    expect(await bar.getByText('61 °C').count()).toBe(0)
    expect(await hatch()).toContain('repeating-linear-gradient')
    const filters = await bar.locator('.segment').evaluateAll((all) => all.map((each) => getComputedStyle(each).filter))
    expect(new Set(filters)).toEqual(new Set(['grayscale(1)']))

    driver.answer()
    await bar.getByText('61 °C').waitFor()
    expect(await hatch()).toBe('none')
    driver.tell([])
    await bar.getByText(/lost, last seen/).waitFor()
    await bar.getByText('The machine likely needs a restart.').waitFor()
    await page.getByText(/GPU 0 .* is lost/).waitFor()
  })
})
