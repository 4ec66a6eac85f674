/** The hub as the command line searches it, through a real server process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type FakeHub, startFakeHub } from '../testing/fake-hub/fake-hub.ts'
import { runCommand } from '../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

let hub: FakeHub
let server: ServedProcess
const repository = 'maker/Tiny-GGUF'

beforeAll(async () => {
  hub = await startFakeHub()
  for (const [name, bytes] of [
    ['tiny-Q4_K_M.gguf', 400],
    ['tiny-F16.gguf', 1600],
    ['mmproj-F16.gguf', 50],
  ] as const)
    hub.put(repository, name, new Uint8Array(bytes))
  Object.assign(hub.repositories.get(repository) ?? {}, { license: 'mit', task: 'text-generation', downloads: 1234 })
  server = await startServedProcess([], { HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

const run = (...words: string[]) => runCommand(['search', ...words, '--data', server.dataDir], {})

test('words list repositories, and a repository lists its models and the command that gets one', async () => {
  const found = await run('tiny', 'gguf')
  expect(found).toMatchObject({ code: 0, error: '' })
  expect(found.out).toMatch(/maker\/Tiny-GGUF +chat +1,234 +2025-01-02 +mit\n/)
  const { out } = await run(repository)
  expect(out).toContain('Licence mit.\n')
  expect(out).toMatch(/Q4_K_M \(recommended\) +400 B +fits beside the others +hf:maker\/Tiny-GGUF\/tiny-Q4_K_M.gguf\n/)
  expect(out).toMatch(
    /pull .*hf:maker\/Tiny-GGUF\/tiny-Q4_K_M.gguf --id maker\/Tiny --mmproj --data .*' downloads Q4_K_M/,
  )
  expect(JSON.parse((await run(repository, '--json')).out).models).toHaveLength(2)
})

test('a search without a match, without such a repository and without a server is told', async () => {
  expect((await run('nothing')).out).toMatch(/^127\.0\.0\.1:\d+ has no GGUF repository with these words\.\n$/)
  expect((await run('no/where')).error).toContain('no/where is missing, private or gated')
  const alone = await runCommand(['search', 'tiny', '--data', `${server.dataDir}/none`], {})
  expect(alone).toMatchObject({ code: 3, error: expect.stringContaining('no server runs') })
})
