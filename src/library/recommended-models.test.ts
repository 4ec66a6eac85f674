import { expect, test } from 'bun:test'
import { shippedManifests } from '../../models/index.ts'
import { parseManifest } from '../catalog/parse-manifest.ts'
import { guessNeed, type PoolRoom } from './fit.ts'
import { type Candidate, mayUseDevices, purposeOf, recommendedModels } from './recommended-models.ts'

const GB = 1e9
const room = (id: string, freeGb: number, heldGb = 0): PoolRoom => ({
  ...{ id, totalBytes: (freeGb + heldGb) * GB, freeBytes: freeGb * GB, heldBytes: heldGb * GB, foreignBytes: 0 },
})

/** Returns the shipped catalog as a machine of these memories lists it, before any download. */
function shippedFor(rooms: readonly PoolRoom[]): Candidate[] {
  return shippedManifests.map(({ file, content }) => {
    const manifest = parseManifest(file, content)
    const sizes = manifest.files.map(({ sizeBytes }) => sizeBytes)
    const isSized = sizes.every((size) => size !== undefined)
    const downloadBytes = isSized ? sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) : undefined
    const memory =
      downloadBytes === undefined ? undefined : guessNeed(downloadBytes, rooms, mayUseDevices(manifest.engine))
    const { id, engine, why } = manifest
    return {
      ...{ id, engine, why, purpose: purposeOf(manifest), acceptLicense: manifest.acceptLicense === true },
      ...{ isCarried: id.startsWith('inferd/'), status: 'available', diskBytes: 0, downloadBytes, memory },
    }
  })
}

const forMachine = (...rooms: readonly PoolRoom[]) => [...recommendedModels(shippedFor(rooms), rooms)].sort()

const own = (id: string, gb: number | undefined, more: Partial<Candidate> = {}): Candidate => {
  const downloadBytes = gb === undefined ? undefined : gb * GB
  const memory = downloadBytes === undefined ? undefined : guessNeed(downloadBytes, [], true)
  const facts = { isCarried: false, acceptLicense: false, status: 'available', diskBytes: 0, downloadBytes, memory }
  return { id, purpose: 'chat', engine: 'llama', why: 'because', ...facts, ...more }
}
const chosen = (models: readonly Candidate[], ...rooms: readonly PoolRoom[]) => [...recommendedModels(models, rooms)]

test('a large card is recommended the largest models of the catalog', () => {
  expect(forMachine(room('host', 200), room('gpu0', 141))).toEqual([
    'BAAI/bge-reranker-v2-m3',
    'Qwen/Qwen3-Embedding-0.6B',
    'Qwen/Qwen3.6-35B-A3B',
    'hexgrad/Kokoro-82M',
    'openai/gpt-oss-120b',
    'openai/whisper-large-v3',
    'openai/whisper-large-v3-turbo',
  ])
})

test('a small card is recommended what fits onto it with a context, not what only the RAM holds', () => {
  const models = forMachine(room('host', 200), room('gpu0', 16.5))
  expect(models).toContain('openai/gpt-oss-20b')
  expect(models).toContain('google/gemma-4-12b-it')
  expect(models).not.toContain('openai/gpt-oss-120b')
})

test('a smaller model on the card comes before a larger one in the RAM', () => {
  const rooms = [room('host', 200), room('gpu0', 8)]
  const models = [own('org/small', 5), own('org/large', 14)].map((model) => ({
    ...model,
    memory: guessNeed(model.downloadBytes ?? 0, rooms, true),
  }))
  expect(chosen(models, ...rooms)).toEqual(['org/small'])
})

test('a CPU is recommended nothing that is slow there', () => {
  const models = forMachine(room('host', 200))
  expect(models).toContain('openai/gpt-oss-20b')
  expect(models).toContain('google/gemma-4-12b-it')
  expect(models).toContain('nvidia/parakeet-tdt-0.6b-v3')
})

test('memory that loaded models hold counts as room, since one can unload them', () => {
  const models = [own('org/small', 5), own('org/large', 10)]
  expect(chosen(models, room('host', 4, 20))).toEqual(['org/large'])
  expect(chosen(models, room('host', 4))).toEqual([])
})

test('a guess is increased by room for a context, a measured need is not', () => {
  const models = [own('org/small', 5), own('org/large', 10)]
  expect(chosen(models, room('host', 12))).toEqual(['org/small'])
  const measured = own('org/large', 10, { memory: { bytes: { host: 11.5 * GB }, source: 'measured' } })
  expect(chosen([own('org/small', 5), measured], room('host', 12))).toEqual(['org/large'])
})

test('nothing is recommended without a reason, that is broken, comes with the program, or binds by its licence', () => {
  const wrong = [{ why: undefined }, { status: 'broken' }, { isCarried: true }, { acceptLicense: true }] as const
  const models = wrong.map((more, index) => own(`org/${index}`, 10, more))
  expect(chosen([...models, own('org/right', 1)], room('host', 100))).toEqual(['org/right'])
})

test('a model of unknown size is recommended only where no size is known', () => {
  const unknown = own('org/unknown', undefined)
  expect(chosen([unknown, own('org/known', 1)], room('host', 100))).toEqual(['org/known'])
  expect(chosen([unknown, own('org/known', 200)], room('host', 100))).toEqual([])
  expect(chosen([unknown], room('host', 100))).toEqual(['org/unknown'])
})
