/** Two processes that download one file. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FileProgress } from '../../core/download.ts'
import { randomBytes, startTestDownloads, testChunkBytes } from '../../testing/downloads.ts'

const { hub, folder, planned, downloader, ...downloads } = await startTestDownloads()
afterAll(() => downloads[Symbol.asyncDispose]())

const chunks = 20
const content = randomBytes(chunks * testChunkBytes)
hub.put('org/repo', 'model.bin', content)
const target = join(folder, 'model.bin')
const once = join(import.meta.dir, '..', '..', 'testing', 'download-once.ts')

let asked = 0
beforeEach(() => {
  rmSync(target, { force: true })
  asked = 0
})

/**
 * Starts a process that stops in the middle of its download: it has asked for that many chunks and gets the next ones
 * when the test says so.
 */
async function startOther(afterChunks: number) {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<undefined>()
  hub.fault = ({ at }) => {
    if (at !== 'store' || ++asked < afterChunks) return undefined
    reached.resolve()
    return held.promise
  }
  const words = [process.execPath, once, planned().address, target, '--chunk-bytes', String(testChunkBytes)]
  const child = Bun.spawn(words, { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
  await reached.promise
  return { child, letGo: () => held.resolve(undefined) }
}

/** Begins a download here. Resolves once it waits for the other process. */
async function attach() {
  const waits = Promise.withResolvers<FileProgress>()
  const done = downloader().download(planned(), target, {
    signal: AbortSignal.timeout(30_000),
    onProgress: (progress) => {
      if (progress.phase === 'wait') waits.resolve(progress)
    },
  })
  const progress = await waits.promise
  return { done, progress }
}

test('the second waits, shows how far the first is, and fetches nothing', async () => {
  const { child, letGo } = await startOther(5)
  const { done, progress } = await attach()
  expect(progress).toMatchObject({ name: 'model.bin', totalBytes: content.length })
  const store = hub.requests.length
  letGo()
  expect(await child.exited).toBe(0)
  await done
  expect(readFileSync(target).equals(content)).toBe(true)
  expect(hub.requests.slice(store).filter(({ at }) => at === 'store').length).toBeLessThan(2 * chunks)
  expect(readdirSync(folder)).toEqual(['model.bin'])
})

test('the second goes on when the first dies', async () => {
  const { child, letGo } = await startOther(10)
  const { done } = await attach()
  child.kill('SIGKILL')
  await child.exited
  expect(existsSync(target)).toBe(false)
  letGo()
  await done
  expect(readFileSync(target).equals(content)).toBe(true)
})
