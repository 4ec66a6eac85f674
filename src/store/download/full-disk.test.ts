import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes, startTestDownloads, testChunkBytes } from '../../testing/downloads.ts'
import { type Disk, realDisk } from '../disk.ts'
import { DiskFullError } from './disk-error.ts'

// The test downloads once for each step of a download, each time with new threads.
setDefaultTimeout(30_000)

const { hub, folder, planned, downloader, ...downloads } = await startTestDownloads()
afterAll(() => downloads[Symbol.asyncDispose]())

const content = randomBytes(3 * testChunkBytes + 5)
hub.put('org/repo', 'model.bin', content)
const target = join(folder, 'model.bin')
const request = { signal: AbortSignal.timeout(60_000), onProgress: () => undefined }

/** A disk that is full from its step number `steps` on. */
function fullAfter(steps: number): Disk {
  let left = steps
  const step = () => {
    if (left-- <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const spending =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      step()
      return work(...given)
    }
  return {
    ...realDisk,
    rename: spending(realDisk.rename),
    async open(path) {
      step()
      const file = await realDisk.open(path)
      return { ...file, write: spending(file.write), reserve: spending(file.reserve), flush: spending(file.flush) }
    },
  }
}

test('a disk that is full at any step ends the download with a clear error, and the next one goes on', async () => {
  let steps = 0
  for (; ; steps++) {
    const error = await downloader({ disk: fullAfter(steps) })
      .download(planned(), target, request)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      )
    if (error === undefined) break
    expect(error).toBeInstanceOf(DiskFullError)
    expect(String(error)).toContain(`the disk of ${folder} has no room for it`)
    expect(readdirSync(folder)).not.toContain('model.bin')
    await downloader().download(planned(), target, request)
    expect(readFileSync(target).equals(content)).toBe(true)
    rmSync(target)
  }
  expect(steps).toBeGreaterThan(10)
  expect(readdirSync(folder)).toEqual(['model.bin'])
})

test('a file without a length takes no room that must stay free, and is not kept', async () => {
  hub.fault = ({ method }) =>
    method === 'GET' ? { kind: 'unsized' } : { kind: 'status', status: 200, headers: { 'content-length': '' } }
  const disk = (freeBytes: number) => ({ ...realDisk, room: async () => ({ freeBytes, totalBytes: freeBytes }) })
  const fetch = (freeBytes: number) => downloader({ disk: disk(freeBytes) }).download(planned(), target, request)
  rmSync(target, { force: true })
  const failed = fetch(2 * content.length - 2)
  await expect(failed).rejects.toBeInstanceOf(DiskFullError)
  await expect(failed).rejects.toThrow('does not say how long the file is')
  expect(readdirSync(folder)).toEqual([])
  await fetch(2 * content.length)
  expect(readFileSync(target).equals(content)).toBe(true)
})
