import { expect, test } from 'bun:test'
import { filterCount } from './filterbank.ts'
import { openEmbedding } from './open-embedding.ts'

/** A model that returns its first two energies; `shapeOf` derives the output's shape from the input's. */
function model(shapeOf: (shape: readonly number[]) => readonly number[] = () => [1, 2]) {
  return {
    run: async (data: Float32Array, shape: readonly number[]) => ({ shape: shapeOf(shape), values: data.slice(0, 2) }),
  }
}

test('a voice is its model’s output for energies whose filters have the mean 0', async () => {
  const { embed } = await openEmbedding(model(), new Map())
  const energies = new Float32Array(2 * filterCount)
  energies.set([5, 1], 0)
  energies.set([1, 3], filterCount)
  expect(await embed(energies)).toEqual(Float32Array.of(2, -1))
})

test('samples are scaled as the model says', async () => {
  const tone = Float32Array.from({ length: 400 }, (_, index) => Math.sin(index))
  const of = async (metadata: ReadonlyMap<string, string>) => {
    const [first = 0] = (await openEmbedding(model(), metadata)).toEnergies(tone)
    return first
  }
  const normal = await of(new Map())
  expect((await of(new Map([['normalize_samples', '0']]))) - normal).toBeCloseTo(2 * Math.log(32_768), 3)
  expect(await of(new Map([['framework', '3d-speaker']]))).not.toBeCloseTo(normal, 3)
})

test.each([
  [
    'a vector for each frame',
    model(([, frames = 0]) => [1, frames, 256]),
    new Map(),
    '[1, 98, 256] and not [1, numbers]',
  ],
  ['fewer numbers than it says', model(), new Map([['output_dim', '256']]), '[1, 2] and not [1, 256]'],
  [
    'another framework',
    model(),
    new Map([['framework', 'nemo']]),
    'the framework "nemo"; known are wespeaker, 3d-speaker',
  ],
  ['another rate', model(), new Map([['sample_rate', '8000']]), 'it hears audio of 8000 Hz'],
] as const)('a model is refused that has %s', async (_, sessions, metadata, reason) => {
  await expect(openEmbedding(sessions, metadata)).rejects.toThrow(reason)
})
