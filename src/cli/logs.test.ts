/** The log of a real server process, as `inferd logs` shows it. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runCommand } from '../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { textParts } from '../testing/text-parts.ts'

let server: ServedProcess

beforeAll(async () => {
  server = await startServedProcess(['--admin', 'off'])
})

afterAll(() => server[Symbol.asyncDispose]())

const run = (...words: string[]) => runCommand(['logs', ...words, '--data', server.dataDir], {})
const get = (path: string) => fetch(`${new URL(server.baseUrl).origin}${path}`)

test('the latest lines are shown, as text and as JSON, and as many as are wanted', async () => {
  await get('/nothing/one')
  await get('/nothing/two')
  const { code, out, error } = await run()
  expect({ code, error }).toEqual({ code: 0, error: '' })
  expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}listening {2}url=/m)
  const last = await run('-n', '1', '--json')
  expect(JSON.parse(last.out)).toEqual({
    ...{ level: 'info', atMs: expect.any(Number), text: expect.stringContaining('path=/nothing/two') },
  })
  expect((await run('--lines', '0')).out).toBe('')
  for (const wrong of ['x', '-1', '501'])
    expect(await run('--lines', wrong)).toMatchObject({ code: 2, error: expect.stringContaining('from 0 to 500') })
})

test('new lines follow until the server ends', async () => {
  const child = Bun.spawn([...testedProgram, 'logs', '-f', '-n', '1', '--json', '--data', server.dataDir], {
    env: {},
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const lines = textParts(child.stdout)
  // The earlier line; the command now follows the log.
  await lines.next()
  await get('/nothing/three')
  expect((await lines.next()).value).toContain('path=/nothing/three')
  await server.stop()
  for await (const line of lines) expect(line).not.toContain('/nothing/three')
  expect(await child.exited).toBe(3)
  expect(await new Response(child.stderr).text()).toBe(`inferd: the server of ${server.dataDir} has ended\n`)
  expect(await run()).toMatchObject({
    code: 3,
    error: expect.stringContaining(`no server runs on ${server.dataDir}; `),
  })
})
