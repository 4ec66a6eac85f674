/** Rare, damaged and lying pictures as a client sends them: the whole server with the starter model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { askAboutPicture, isOutcome } from '../testing/ask-about-picture.ts'
import { hostilePictures, samePixels } from '../testing/hostile-pictures.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

const limitSeconds = 30
let server: ServedProcess

beforeAll(async () => {
  server = await startServedProcess(['--threads', '1', '--preload', 'starter-chat'])
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

test.each(hostilePictures)('$name: $outcome', async ({ file, outcome, count }) => {
  const answer = await askAboutPicture(server, file(), count)
  expect(answer).toSatisfy((each) => isOutcome(each, outcome))
  expect(answer.seconds).toBeLessThan(limitSeconds)
})

test('the same pixels have the same answer whatever the format', async () => {
  const files = hostilePictures.filter(({ name }) => samePixels.includes(name))
  expect(files).toHaveLength(samePixels.length)
  const answers = []
  for (const { file } of files) answers.push((await askAboutPicture(server, file())).likeliest)
  for (const answer of answers) {
    expect(answer.map(({ token }) => token)).toEqual(answers[0]?.map(({ token }) => token) ?? [])
  }
})

test('none of them has ended the engine', async () => {
  const { engines } = await server.status()
  expect(engines).toMatchObject([{ modelId: 'inferd/starter-chat', state: 'ready', restarts: 0 }])
})
