/** A pull of a damaged model fetches only what differs. */
import { afterAll, expect, test } from 'bun:test'
import { linkSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDamage } from '../../catalog/damage-note.ts'
import { randomBytes, startTestDownloads } from '../../testing/downloads.ts'
import { sha256Of } from '../../testing/fake-hub/fake-hub.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { chunkBytes } from '../chunk-sum.ts'
import { pullModel } from '../pull/pull-model.ts'
import { verifyModel } from './verify-model.ts'

const { hub, folder: dataDir, planned, downloader, ...downloads } = await startTestDownloads()
afterAll(() => downloads[Symbol.asyncDispose]())

const content = randomBytes(chunkBytes + 1000)
hub.put('org/repo', 'model.bin', content)
const plan = { manifest: testManifest({ id: 'me/model' }), source: 'x', files: [planned()] }
const target = join(dataDir, 'models/me/model/model.bin')
const fetcher = downloader({ chunkBytes })

function pull() {
  return pullModel(plan, {
    dataDir,
    downloader: fetcher,
    signal: AbortSignal.timeout(30_000),
    onProgress: () => undefined,
  })
}

function verify() {
  return verifyModel({ modelId: 'me/model', license: undefined, files: [] }, { dataDir })
}

/** Changes a file like a failing disk: its time and size stay the same. */
function damage(offset: number): void {
  const { atime, mtime } = statSync(target)
  const bytes = readFileSync(target)
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  writeFileSync(target, bytes)
  utimesSync(target, atime, mtime)
}

test.each([
  ['its own file', false],
  ['a file that is linked elsewhere, which stays as it is', true],
])(
  'a pull repairs the damaged part of %s',
  async (_, isLinked) => {
    await pull()
    damage(chunkBytes + 5)
    const elsewhere = join(dataDir, `elsewhere-${isLinked}`)
    if (isLinked) linkSync(target, elsewhere)
    expect(await verify()).toMatchObject({ problems: { 'model.bin': 'is damaged: part 2 of 2 differs from its sum' } })
    const before = hub.requests.length
    await pull()
    expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
    expect(readDamage(join(dataDir, 'models/me/model'))).toEqual([])
    expect(await verify()).toMatchObject({ outcome: 'whole' })
    const ranges = hub.requests
      .slice(before)
      .flatMap(({ at, headers }) => (at === 'store' ? [headers.get('range')] : []))
    expect(ranges).toEqual([`bytes=${chunkBytes}-${content.length - 1}`])
    if (isLinked) expect(sha256Of(readFileSync(elsewhere))).not.toBe(sha256Of(content))
  },
  30_000,
)
