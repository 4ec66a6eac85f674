/**
 * Upstream servers of each flavor, with their quirks, play the same scripts as the local engine: clients cannot tell
 * the answers apart.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { type UpstreamFlavor, upstreamFlavors } from '../../core/upstream.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts'
import { type Dialect, dialectForms, type Question, questions, withoutIds } from '../../testing/upstream/questions.ts'
import { flavorQuirks } from '../../testing/upstream/quirks.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'

const behind = new Map<string, FakeUpstream>()
for (const flavor of upstreamFlavors) behind.set(flavor, await startFakeUpstream({ flavor }))

const local = 'test/local'
const server = startTestServer({
  parallel: 8,
  models: {
    [local]: { manifest: { type: 'vision', contextLength: 8192 } },
    ...Object.fromEntries(
      upstreamFlavors.map((flavor) => [
        `test/${flavor}`,
        servedBy(flavor, [behind.get(flavor) ?? { url: '' }], { type: 'vision' }),
      ]),
    ),
  },
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  for (const upstream of behind.values()) await upstream[Symbol.asyncDispose]()
})

/**
 * Returns the answer without ids. `isCountedLate`: the server reports prompt tokens only at the end, so the start of a
 * message may have an estimate.
 */
async function answer(
  model: string,
  dialect: Dialect,
  { stream, isCountedLate, ...body }: { readonly stream: boolean; readonly isCountedLate: boolean },
): Promise<string> {
  const response = await server.post(dialectForms[dialect].path, { model, stream, ...body })
  // No server reports the share of pictures in the prompt's tokens.
  const whole = (await response.text()).replaceAll(/,"image_tokens":\d+/g, '')
  const text = isCountedLate ? whole.replace(/("type":"message_start".*"usage":).*/, '$1') : whole
  return `${response.status} ${withoutIds(text)}`
}

async function expectSame(flavor: string, dialect: Dialect, body: object, streams = [false, true]): Promise<void> {
  const isCountedLate = flavor === 'openai'
  for (const stream of streams) {
    const asked = { ...body, stream, isCountedLate }
    const expected = await answer(local, dialect, asked)
    expect(expected).toStartWith('200 ')
    expect(await answer(`test/${flavor}`, dialect, asked)).toBe(expected)
  }
  expect(behind.get(flavor)?.problems).toEqual([])
}

/**
 * Returns whether the answer can differ by its stop string. Some servers do not report it; the responses dialect does
 * not show it.
 */
function canTell(flavor: UpstreamFlavor, dialect: Dialect, name: string): boolean {
  return dialect === 'responses' || name !== 'a stop string' || flavorQuirks[flavor].stopString !== 'none'
}

const all: Record<string, Question> = {
  ...questions,
  'a picture': { script: [{ describePictures: true }], picture: toPng(paint(5, 4, () => [9, 8, 7])) },
}

describe.each([...upstreamFlavors])('%s', (flavor) => {
  describe.each(Object.keys(dialectForms) as Dialect[])('%s', (dialect) => {
    test.each(Object.keys(all).filter((name) => canTell(flavor, dialect, name)))('%s', async (name) => {
      const question = all[name]
      if (question !== undefined) await expectSame(flavor, dialect, dialectForms[dialect].write(question))
    })
  })

  test('log probabilities', async () => {
    const bytes = [...Buffer.from('One')]
    const alternative = { token: 'Two', bytes: [...Buffer.from('Two')], logprob: -2.5 }
    const logprobs = [{ token: 'One', bytes, logprob: -0.25, alternatives: [alternative] }]
    const body = dialectForms.chat.write({ script: [{ text: 'One', logprobs }] })
    await expectSame(flavor, 'chat', { ...body, logprobs: true, top_logprobs: 1 })
  })

  test('two choices of an answer', async () => {
    const body = dialectForms.chat.write({ script: [{ text: 'One' }, { text: ' two' }] })
    await expectSame(flavor, 'chat', { ...body, n: 2 }, [false])
  })
})
