/** Rare, damaged and lying pictures as a client sends them: the whole server with the starter model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { askAboutPicture, isOutcome } from '../testing/ask-about-picture.ts'
import { hostilePictures, samePixels } from '../testing/hostile-pictures.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

/** For the slowest machine: a hundred pictures take seconds. */
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

test('the same pixels have the same answer whatever the format', async () => {
  const files = hostilePictures.filter(({ name }) => samePixels.includes(name))
  expect(files).toHaveLength(samePixels.length)
  const [first, ...others] = await Promise.all(files.map(({ file }) => askAboutPicture(server, file())))
  for (const { likeliest } of others) {
    expect(likeliest.map(({ token }) => token)).toEqual(first?.likeliest.map(({ token }) => token) ?? [])
    for (const [index, { logprob }] of likeliest.entries()) {
      // Sums have another order in other batches.
      expect(logprob).toBeCloseTo(first?.likeliest[index]?.logprob ?? Number.NaN, 1)
    }
  }
})

test('none of them has ended the engine', async () => {
  const { engines } = await server.status()
  expect(engines).toMatchObject([{ modelId: 'inferd/starter-chat', state: 'ready', restarts: 0 }])
})
