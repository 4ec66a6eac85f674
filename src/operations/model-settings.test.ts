import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OperatorBox, openOperatorBox } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'

const chat = 'inferd/starter-chat'
const text = `# Ours
parallel = 4

[models."${chat}".llama] # tuned
context_tokens = 4096 # enough
`

const read = ({ dataDir }: OperatorBox) => readFileSync(join(dataDir, 'config.toml'), 'utf8')
const shown = async (box: OperatorBox, key: string, model = chat) => {
  const { settings } = await box.perform('model-settings-show', { model })
  return settings.find((row) => row.key === key)
}
const inCatalog = ({ catalog }: OperatorBox, id = chat) => catalog.resolve(id)?.entry.manifest.settings

test('a model’s settings are written to its table, comments kept, and are in force at its next load', async () => {
  await using box = openOperatorBox({}, {}, text)
  expect(await shown(box, 'context_tokens')).toMatchObject({ own: 4096, inherited: 32_768, inheritedFrom: 'server' })
  expect(await shown(box, 'parallel')).toMatchObject({ own: undefined, inherited: 4 })
  const { version } = await box.perform('model-settings-list', {})
  const values = { parallel: '2', 'kv-type': 'q8_0', 'keep-alive': '1800s' }
  await box.perform('model-settings-set', { model: chat, values, version })
  expect(read(box)).toBe(`${text}parallel = 2\nkv_type = "q8_0"\nkeep_alive = "30m"\n`)
  const onPage = (await box.perform('models-show', { model: chat })).settings
  expect(onPage.find(({ name }) => name === 'parallel')).toMatchObject({
    ...{ value: 2, source: join(box.dataDir, 'config.toml') },
  })
  expect(inCatalog(box)).toEqual({ contextTokens: 4096, parallel: 2, kvType: 'q8_0', keepAliveMs: 1_800_000 })
  expect(box.services.stores.audit.list()[0]).toMatchObject({
    action: 'model.settings.set',
    details: {
      model: chat,
      before: { context_tokens: '4096' },
      after: { context_tokens: '4096', parallel: '2', kv_type: 'q8_0', keep_alive: '30m' },
    },
  })
  await box.perform('model-settings-set', { model: chat, values })
  expect(box.services.stores.audit.list()).toHaveLength(1)
})

test('a model without settings of its own has no table left, and follows the others', async () => {
  await using box = openOperatorBox({}, {}, text)
  await box.perform('model-settings-set', { model: chat, values: { 'context-tokens': ' ' } })
  expect(read(box)).toBe('# Ours\nparallel = 4\n\n')
  expect(inCatalog(box)).toBeUndefined()
})

test('a setting that another page adds meanwhile stays when the last other one is removed', async () => {
  await using box = openOperatorBox({}, {}, text)
  await Promise.all([
    box.perform('model-settings-set', { model: chat, values: { parallel: '2' } }),
    box.perform('model-settings-set', { model: chat, values: { 'context-tokens': '' } }),
  ])
  expect(inCatalog(box)).toEqual({ parallel: 2 })
})

test('the operator’s own models keep their manifests when settings change', async () => {
  await using box = openOperatorBox()
  mkdirSync(join(box.dataDir, 'models.d'), { mode: 0o700 })
  writeFileSync(
    join(box.dataDir, 'models.d', 'own.toml'),
    'id = "me/own"\ntype = "chat"\nengine = "fake"\n[fake]\nparallel = 3\n',
  )
  expect(await shown(box, 'parallel', 'me/own')).toMatchObject({ inherited: 3, inheritedFrom: 'manifest' })
  await box.perform('models-load', { model: 'me/own' })
  const before = box.services.models?.status().engines.find(({ modelId }) => modelId === 'me/own')?.pid
  await box.perform('model-settings-set', { model: 'me/own', values: { parallel: '7' } })
  expect(inCatalog(box, 'me/own')).toMatchObject({ parallel: 7 })
  expect((await box.perform('model-settings-list', {})).models.find(({ model }) => model === 'me/own')).toMatchObject({
    ...{ own: { parallel: 7 }, isLoaded: true, engine: 'fake' },
  })
  // Loading it again takes the new settings, without an unload before.
  await box.perform('models-load', { model: 'me/own' })
  const after = box.services.models?.status().engines.find(({ modelId }) => modelId === 'me/own')?.pid
  expect(after).not.toBe(before)
})

test('what a model cannot have is refused at its field, and the file stays', async () => {
  await using box = openOperatorBox({}, {}, text)
  const set = (values: Record<string, string>, model = chat) =>
    problemOf(box.perform('model-settings-set', { model, values }))
  expect(await set({ parallel: '0' })).toMatchObject({ code: 'invalid_input', field: 'parallel' })
  expect(await set({ 'kv-type': 'q2' })).toMatchObject({ code: 'invalid_input', field: 'kv-type' })
  expect(await set({ 'smtp-host': 'evil' })).toMatchObject({ code: 'not_found', what: 'setting' })
  expect(await set({ parallel: '2' }, 'no/such')).toMatchObject({ code: 'not_found', what: 'model' })
  const version = 'of-another-day'
  expect(
    await problemOf(box.perform('model-settings-set', { model: chat, values: { parallel: '2' }, version })),
  ).toMatchObject({ code: 'settings_changed' })
  expect(read(box)).toBe(text)
})
