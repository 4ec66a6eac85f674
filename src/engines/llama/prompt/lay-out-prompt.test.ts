import { expect, test } from 'bun:test'
import type { ImagePart } from '../../../core/content.ts'
import type { NativeImageSize, NativePromptPiece } from '../native-projector.ts'
import { MediaUnits } from '../steps/prefix-cache.ts'
import { layOutPrompt } from './lay-out-prompt.ts'

function picture(param: string, changes: Partial<ImagePart> = {}): ImagePart {
  const looks = { width: 800, height: 600, orientation: 1, detail: 'auto' as const }
  return { type: 'image', hash: 'aa', path: '/spool/aa', param, ...looks, ...changes }
}

/** One token per patch of 100 by 100 pixels, but at least `least` per picture. Records the sizes that it received. */
function tokenizer({ isNonCausal = false, limitEntries = 100, least = 1, isShortOfMemory = false } = {}) {
  const told: NativeImageSize[] = []
  const tokenize = async (_: string, sizes: readonly NativeImageSize[]): Promise<NativePromptPiece[]> =>
    sizes.flatMap(({ width, height }, index): NativePromptPiece[] => {
      told.push({ width, height })
      const entries = Math.max(least, Math.ceil(width / 100) * Math.ceil(height / 100))
      const before = { kind: 'tokens' as const, tokens: Int32Array.of(7) }
      return [before, { kind: 'picture', picture: index, part: 0, entries, positions: 10 }]
    })
  const model = { tokenize: async (text: string) => Int32Array.from(text, () => 1) }
  const vision = { projector: { tokenize, isNonCausal }, units: new MediaUnits(), limitEntries, isShortOfMemory }
  return { told, tokenizer: { model, vision } }
}

test('a prompt without pictures is tokens', async () => {
  const { tokenizer: of } = tokenizer()
  expect(await layOutPrompt(of, { prompt: 'abc', pictures: [] })).toEqual({ units: Int32Array.of(1, 1, 1), runs: [] })
})

test('a picture is as many equal units as it has entries, and the same picture the same units', async () => {
  const { tokenizer: of } = tokenizer()
  const small = { width: 200, height: 100 }
  const pictures = [picture('a', small), picture('b', { ...small, hash: 'bb' }), picture('c', small)]
  const { units, runs } = await layOutPrompt(of, { prompt: '', pictures })
  expect(units).toEqual([7, -1, -1, 7, -2, -2, 7, -1, -1])
  expect(runs).toMatchObject([
    { start: 1, entries: 2, positions: 10, part: 0, picture: { param: 'a' } },
    { start: 4, picture: { param: 'b' } },
    { start: 7, picture: { param: 'c' } },
  ])
})

test('pictures stand upright, and little detail is a smaller picture', async () => {
  const { told, tokenizer: of } = tokenizer()
  const wide = { width: 1024, height: 301 }
  const pictures = [
    picture('a', { ...wide, orientation: 4 }),
    picture('b', { ...wide, orientation: 5 }),
    picture('c', { ...wide, orientation: 8, detail: 'low' }),
    picture('d', { width: 500, height: 2, detail: 'low' }),
    picture('e', { width: 5000, height: 2, detail: 'low' }),
    picture('f', { ...wide, detail: 'high' }),
  ]
  const { runs } = await layOutPrompt(of, { prompt: '', pictures })
  const sizes = [
    { width: 1024, height: 301 },
    { width: 301, height: 1024 },
    { width: 151, height: 512 },
    { width: 500, height: 2 },
    { width: 512, height: 1 },
    { width: 1024, height: 301 },
  ]
  expect(told).toEqual(sizes)
  expect(runs.map((run) => run.picture)).toMatchObject(sizes.map((size) => ({ size })))
})

test('the same file in another size is another picture', async () => {
  const { tokenizer: of } = tokenizer()
  const { runs } = await layOutPrompt(of, { prompt: '', pictures: [picture('a'), picture('b', { detail: 'low' })] })
  expect(new Set(runs.map((run) => run.picture.key)).size).toBe(2)
})

test('a picture whose entries see each other is made small enough for one batch', async () => {
  const { tokenizer: of } = tokenizer({ isNonCausal: true, limitEntries: 20 })
  const { runs } = await layOutPrompt(of, {
    prompt: '',
    pictures: [picture('a'), picture('b', { width: 90, height: 90 })],
  })
  expect(runs[0]?.entries).toBeLessThanOrEqual(20)
  expect(runs[0]?.entries).toBeGreaterThan(10)
  expect(runs[1]?.picture).toMatchObject({ size: { width: 90, height: 90 } })
})

test('one that takes as many entries in every size is refused by its place', async () => {
  const prompt = { prompt: '', pictures: [picture('messages[3]')] }
  for (const [isShortOfMemory, advice] of [
    [false, 'Ask its operator for --batch-tokens 256.'],
    [true, 'Ask its operator for more memory for this model.'],
  ] as const) {
    const { tokenizer: of } = tokenizer({ isNonCausal: true, limitEntries: 20, least: 256, isShortOfMemory })
    await expect(layOutPrompt(of, prompt)).rejects.toMatchObject({
      code: 'unsupported_content',
      param: 'messages[3]',
      message: expect.stringContaining(advice),
    })
  }
})
