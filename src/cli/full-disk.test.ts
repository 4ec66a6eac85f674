/** A server on a full disk: a real process whose files cannot grow beyond a limit. */

import { afterEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../config/config.ts'
import { controlSocketPath } from '../server/control.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { until } from '../testing/until.ts'

const parent = mkdtempSync(join(tmpdir(), 'inferd-full-'))
let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined

afterEach(async () => {
  child?.kill('SIGKILL')
  await child?.exited
  rmSync(parent, { recursive: true })
})

/** Starts a server whose writes fail beyond the limit, as on a full disk. Without this the process would end. */
async function serve(): Promise<{ url: string; key: string }> {
  const data = join(parent, 'data')
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'models.d', 'fake.toml'), 'id = "test/fake"\ntype = "chat"\nengine = "fake"\n')
  const words = [...testedProgram, 'serve', '--data', data, '--port', '0', '--json']
  child = Bun.spawn(['sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh', ...words], {
    env: { HOME: tmpdir(), PATH: '/usr/bin:/bin' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let text = ''
  for await (const bytes of child.stdout.values({ preventCancel: true })) {
    text += new TextDecoder().decode(bytes)
    const url = /"listening","url":"([^"]+)"/.exec(text)?.[1]
    const key = /"key":"([^"]+)"/.exec(text)?.[1]
    if (url !== undefined && key !== undefined) return { url, key }
  }
  throw new Error(`the server did not start: ${await new Response(child.stderr).text()}`)
}

function limitFiles(bytes: '0' | 'unlimited'): void {
  const limit = Bun.spawnSync(['prlimit', '--pid', String(child?.pid), `--fsize=${bytes}:unlimited`])
  expect(limit.stderr.toString()).toBe('')
}

test('with a full disk /ready and paid work are 503 and reads go on, until there is room again', async () => {
  const { url, key } = await serve()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'test/fake', messages: [{ role: 'user', content: 'hello' }] })
  const chat = () => fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  const ready = async () => (await fetch(`${url}/ready`)).status
  expect([(await chat()).status, await ready()]).toEqual([200, 200])

  limitFiles('0')
  const refused = await chat()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({ error: { code: 'storage_unavailable' } })
  expect(await ready()).toBe(503)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect((await fetch(`${url}/v1/account`, { headers })).status).toBe(200)

  limitFiles('unlimited')
  await until('the server is ready', ready, (status) => status === 200)
  expect((await chat()).status).toBe(200)
})

test('with a full disk a backup fails with the reason and leaves nothing, the server goes on, and it works when there is room', async () => {
  const { url } = await serve()
  const data = join(parent, 'data')
  const backUp = async () => {
    const body = JSON.stringify({ version, actor: 'cli:ada', input: {} })
    const options = { unix: controlSocketPath(data), method: 'POST', body }
    return (await fetch('http://inferd/operations/backup', options)).json()
  }
  limitFiles('0')
  expect(await backUp()).toMatchObject({
    kind: 'refused',
    problem: { code: 'backup_failed', reason: expect.stringContaining('disk') },
  })
  expect(existsSync(join(data, 'backups'))).toBe(false)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  limitFiles('unlimited')
  expect(await backUp()).toMatchObject({ kind: 'done', result: { bytes: expect.any(Number) } })
  expect(readdirSync(join(data, 'backups'))).toEqual([expect.stringMatching(/^inferd-.*\.tar$/)])
})
