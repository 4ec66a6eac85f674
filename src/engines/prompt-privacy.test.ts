/**
 * Prompts that wait in a running server's memory are never on disk, serve only their account, and are gone with the
 * server, however it ends.
 */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { until } from '../testing/until.ts'

const model = 'inferd/starter-chat'
/** Text long enough to be kept, and in no other file. */
const secret = `marker-${crypto.randomUUID()}`
const content = Array.from({ length: 160 }, (_, index) => `${secret} word${index}`).join(' ')

async function cachedTokens({ baseUrl, key }: ServedProcess): Promise<number> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content }], max_tokens: 4 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body })
  const { usage } = (await answer.json()) as { usage: { prompt_tokens_details: { cached_tokens: number } } }
  return usage.prompt_tokens_details.cached_tokens
}

async function engineOf(served: ServedProcess) {
  return (await served.status()).engines.find(({ modelId }) => modelId === model)
}

/** Returns a process's open memory files by device and inode number. */
function memoryFiles(pid: number): string[] {
  return openFiles(pid).flatMap(({ path, link }) => {
    if (!link.includes('inferd prompts')) return []
    const { dev, ino } = statSync(path)
    return [`${dev} ${ino}`]
  })
}

function openFiles(pid: number | string) {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const path = `/proc/${pid}/fd/${name}`
      try {
        return [{ path, link: readlinkSync(path) }]
      } catch {
        return [] // closed meanwhile
      }
    })
  } catch {
    return [] // it has ended, or is another user's
  }
}

function holdersOf(file: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && memoryFiles(Number(pid)).includes(file))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

test('prompts wait in memory without a name, and a server that is killed leaves nothing of them', async () => {
  await using served = await startServedProcess(['--keep-alive', '1s'])
  const unnamed = new Set(readdirSync('/dev/shm'))
  expect(await cachedTokens(served)).toBe(0)
  await until(
    'a prompt waits in memory',
    async () => (await engineOf(served))?.promptBytes ?? 0,
    (bytes) => bytes > 0,
  )
  expect((await engineOf(served))?.state).toBe('stopped')
  const [file = ''] = memoryFiles(served.pid)
  expect(holdersOf(file)).toEqual([String(served.pid)])
  expect(readdirSync('/dev/shm').filter((name) => !unnamed.has(name) && name.includes('inferd'))).toEqual([])
  for (const path of filesBelow(served.dataDir)) expect(readFileSync(path).includes(secret)).toBe(false)

  // Loads the model again, and kills the server while both processes hold the prompts.
  expect(await cachedTokens(served)).toBeGreaterThan(512)
  const child = (await engineOf(served))?.pid ?? 0
  expect(holdersOf(file)).toContain(String(child))
  process.kill(served.pid, 'SIGKILL')
  await until(
    'nobody holds the file',
    () => holdersOf(file),
    (holders) => holders.length === 0,
  )
  for (const path of filesBelow(served.dataDir)) expect(readFileSync(path).includes(secret)).toBe(false)
}, 60_000)
