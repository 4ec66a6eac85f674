import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OperatorBox, openOperatorBox } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'

const chat = 'inferd/starter-chat'
const text = `# Ours
[prices."${chat}"] # a chat
input = 1 # in
output = 2
`

const read = ({ dataDir }: OperatorBox) => readFileSync(join(dataDir, 'config.toml'), 'utf8')
const row = async (box: OperatorBox, id: string) =>
  (await box.perform('prices-list', {})).models.find(({ model }) => model === id)

test('prices are written to the model’s table, with what a typical chat comes to', async () => {
  await using box = openOperatorBox({}, {}, text)
  // 1,000 tokens of prompt at $1 and 300 of the answer at $2 a million.
  expect(await row(box, chat)).toMatchObject({
    ...{ unit: '1M_tokens', typical: { promptTokens: 1_000, completionTokens: 300 }, isChanged: true },
    inForce: { inputNanoUsd: 1e9, outputNanoUsd: 2e9, thousandNanoUsd: 1_600_000_000 },
    needsRestart: false,
  })
  const set = await box.perform('prices-set', { model: chat, input: '0.5', output: '2', cached_input: '0.05' })
  const now = { inputNanoUsd: 5e8, thousandNanoUsd: 1_100_000_000 }
  expect(set).toMatchObject({ needsRestart: false, inForce: now, next: now })
  expect(box.catalog.resolve(chat)?.entry.manifest.pricing).toMatchObject({ inputNanoUsd: 5e8 })
  expect(read(box)).toBe(
    text.replace('input = 1', 'input = 0.5').replace('output = 2', 'output = 2\ncached_input = 0.05'),
  )
  expect(box.services.stores.audit.list()[0]).toMatchObject({
    action: 'prices.set',
    details: {
      model: chat,
      before: { inputUsd: '1', outputUsd: '2' },
      after: { inputUsd: '0.5', outputUsd: '2', cachedInputUsd: '0.05' },
    },
  })
})

test('the same prices again leave no row in the audit log', async () => {
  await using box = openOperatorBox({}, {}, text)
  await box.perform('prices-set', { model: chat, input: '1', output: '2' })
  expect(box.services.stores.audit.list()).toEqual([])
})

test('a model without prices in the file has its own again', async () => {
  await using box = openOperatorBox({}, {}, text)
  const { own } = (await row(box, chat)) ?? {}
  expect(await box.perform('prices-set', { model: chat })).toMatchObject({ isChanged: false, next: own })
  expect(read(box)).toBe('# Ours\n')
})

test('prices are tried out without a change', async () => {
  await using box = openOperatorBox({}, {}, text)
  const tried = await box.perform('prices-try', { model: chat, input: '10', output: '20' })
  expect(tried).toEqual({ thousandNanoUsd: 16_000_000_000, problem: undefined })
  const { problem } = await box.perform('prices-try', { model: chat, input: '1', output: '1', cached_input: '2' })
  expect(problem).toContain('must not be above input')
  expect(await problemOf(box.perform('prices-try', { model: chat, input: 'x' }))).toMatchObject({ field: 'input' })
  expect(read(box)).toBe(text)
})

test('prices that the next start would refuse are refused with their reason, and the file stays', async () => {
  await using box = openOperatorBox({}, {}, text)
  const refusals = [
    [
      { model: chat, input: '1', output: 'much' },
      { code: 'invalid_input', field: 'output' },
    ],
    [
      { model: chat, input: '-1', output: '1' },
      { code: 'invalid_input', field: 'input' },
    ],
    [
      { model: chat, input: '1', output: '1', cached_input: '2' },
      { code: 'settings_refused', reason: expect.stringContaining('must not be above input') },
    ],
    [
      { model: chat, price: '1' },
      { code: 'settings_refused', reason: expect.stringContaining('input and output') },
    ],
    [
      { model: 'no/such', input: '1' },
      { code: 'not_found', what: 'model', name: 'no/such' },
    ],
  ] as const
  for (const [input, problem] of refusals)
    expect(await problemOf(box.perform('prices-set', input))).toMatchObject(problem)
  const { version } = await box.perform('prices-list', {})
  writeFileSync(join(box.dataDir, 'config.toml'), `${text}# by hand\n`)
  expect(await problemOf(box.perform('prices-set', { model: chat, version }))).toMatchObject({
    code: 'settings_changed',
  })
  expect(read(box)).toBe(`${text}# by hand\n`)
  expect(box.services.stores.audit.list()).toEqual([])
})
