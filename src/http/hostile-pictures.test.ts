/** Rare, damaged and lying pictures as clients send them: the whole server with the starter model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { askAboutPicture, isOutcome } from '../testing/ask-about-picture.ts'
import { hostilePictures, samePixels } from '../testing/hostile-pictures.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

/** Time limit for the slowest machine: a hundred pictures take seconds. */
const limitMs = 60_000
let server: ServedProcess

beforeAll(async () => {
  server = await startServedProcess(['--threads', '1', '--preload', 'starter-chat'])
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

test.each(hostilePictures)(
  '$name: $outcome',
  async ({ file, outcome, count }) => {
    const answer = await askAboutPicture(server, file(), count)
    expect(answer).toSatisfy((each) => isOutcome(each, outcome))
  },
  limitMs,
)

test('the same pixels have the same answer whatever the format, and others have another', async () => {
  const likeliestOf = async (wanted: string) => {
    const file = hostilePictures.find(({ name }) => name === wanted)?.file()
    return (await askAboutPicture(server, file ?? new Uint8Array())).likeliest
  }
  const expected = await likeliestOf('rgb.png')
  expect(expected).toHaveLength(5)
  const distance = (likeliest: typeof expected) =>
    Math.max(...expected.map(({ logprob }, index) => Math.abs(logprob - (likeliest[index]?.logprob ?? 0))))
  // Other batches add numbers in another order, so results differ slightly.
  for (const name of samePixels) expect(distance(await likeliestOf(name))).toBeLessThan(0.03)
  for (const name of ['1-bit.png', 'grey.jpg']) expect(distance(await likeliestOf(name))).toBeGreaterThan(0.1)
})

test('none of them has ended the engine', async () => {
  const { engines } = await server.status()
  expect(engines).toMatchObject([{ modelId: 'inferd/starter-chat', state: 'ready', restarts: 0 }])
})
