import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OperatorBox, openOperatorBox } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'

const one = 'http://127.0.0.1:9/v1'
const two = 'http://127.0.0.2:9/v1'

function openBox(): OperatorBox {
  const box = openOperatorBox()
  const folder = join(box.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true })
  const upstream = `[upstream]\nflavor = "vllm"\nmodel = "there"\nendpoints = ["${one}", "${two}"]\n`
  writeFileSync(join(folder, 'behind.toml'), `id = "test/behind"\ntype = "chat"\nengine = "upstream"\n${upstream}`)
  return box
}

test('the endpoints of upstream models are listed, loaded or not', async () => {
  await using box = openBox()
  const { endpoints } = await box.perform('endpoints-list', {})
  expect(endpoints).toMatchObject([
    { model: 'test/behind', url: one, state: 'closed', outstanding: 0 },
    { model: 'test/behind', url: two, state: 'closed', outstanding: 0 },
  ])
  expect(await box.perform('endpoints-list', { model: 'test/behind', ask: true })).toEqual({ endpoints })
  expect(await problemOf(box.perform('endpoints-list', { model: 'no/model' }))).toMatchObject({ code: 'not_found' })
})

test('one is drained and resumed by its URL or its host and port, and the audit log says so', async () => {
  await using box = openBox()
  const states = async () => (await box.perform('endpoints-list', {})).endpoints.map(({ state }) => state)
  const drained = await box.perform('endpoints-drain', { model: 'test/behind', endpoint: '127.0.0.2:9' })
  expect(drained).toEqual({ model: 'test/behind', url: two, outstanding: 0 })
  expect(await states()).toEqual(['closed', 'draining'])
  await box.perform('endpoints-resume', { model: 'test/behind', endpoint: `${two}/` })
  expect(await states()).toEqual(['closed', 'closed'])
  const [resume, drain] = box.services.stores.audit.list()
  expect(drain).toMatchObject({ action: 'endpoint.drain', details: { model: 'test/behind', endpoint: two } })
  expect(resume).toMatchObject({ action: 'endpoint.resume' })
  expect(await problemOf(box.perform('endpoints-drain', { model: 'test/behind', endpoint: 'http://x/v1' }))).toEqual({
    code: 'not_found',
    what: 'endpoint',
    name: 'http://x/v1',
  })
})
