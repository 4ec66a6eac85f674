/**
 * Manifest settings that the starter models do not use, on the real engine with graphs that only return their input.
 */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { TextModelSettings } from '../../core/text-model-settings.ts'
import { starterTextModel, startTextModels } from '../../testing/starter-text-models.ts'

const pool = startTextModels({ threads: 1 })
afterAll(() => pool.pool.stop())

const fixture = (name: string) => join(import.meta.dir, 'fixtures', `${name}.onnx`)
let models = 0

function modelOf(type: 'embedding' | 'rerank', settings: Partial<TextModelSettings>, graph: string) {
  const model = starterTextModel(type, { goldenVectors: [], goldenScores: [], ...settings }, { model: fixture(graph) })
  return { ...model, manifest: { ...model.manifest, id: `test/${++models}` } } // a separate process for each
}

const documents = ['it is yes', 'no', 'moon', 'the moon and the sun are far away but yes']
const sigmoid = (value: number) => 1 / (1 + Math.exp(-value))

test.each(['left', 'right'] as const)(
  'a model that answers in words is read at its last token, padded on the %s',
  async (padding) => {
    const settings = {
      padding,
      pairTemplate: { prefix: '[CLS]', body: 'judge {query} : {document}', suffix: '' },
      answerTokens: { yes: 'yes', no: 'no' },
    }
    const model = modelOf('rerank', settings, 'echo-next-token')
    const { result } = await pool.run(model, { kind: 'rerank', request: { query: 'moon', documents } })
    for (const [index, expected] of [sigmoid(3), sigmoid(-3), 0.5, sigmoid(3)].entries()) {
      expect(result.values[index]).toBeCloseTo(expected, 5)
    }
  },
)

/** `lengths` are their tokens, the two special ones included. */
const texts = ['moon', 'moon sun', 'the moon and the sun']
const lengths = [3, 4, 7]

test.each([
  ['left', 'last', (length: number) => length - 1],
  ['right', 'last', (length: number) => length - 1],
  ['left', 'cls', () => 0],
  ['right', 'cls', () => 0],
  ['left', 'mean', (length: number) => (length - 1) / 2],
  ['right', 'mean', (length: number) => (length - 1) / 2],
] as const)('padded on the %s, the %s token speaks, at its own position', async (padding, pooling, position) => {
  const model = modelOf('embedding', { padding, pooling, normalize: false, padTokenId: 9 }, 'token-facts')
  const vectors = await pool.embed(model, ...texts)
  // Half-precision numbers from a graph with 32-bit inputs. The mask is 1 for tokens of the text.
  expect(vectors.map((vector) => [...vector].slice(1))).toEqual(lengths.map((length) => [position(length), 1]))
})
