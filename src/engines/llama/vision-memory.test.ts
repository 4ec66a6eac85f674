/** Memory that pictures take in a real child, compared with the estimate. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Content, ImagePart } from '../../core/content.ts'
import { readProcessMemory } from '../../machine/process-memory.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { toPng } from '../../testing/pictures.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-vision-memory-'))
const starter = join(import.meta.dir, '../../../models/starter')
const filePaths = {
  model: join(starter, 'starter-chat-q8_0.gguf'),
  mmproj: join(starter, 'starter-chat-mmproj-f16.gguf'),
}
const model = { manifest: testManifest({ id: 'a/b', type: 'vision', engine: 'llama' }), filePaths }
const settings = { ...testEngineSettings, prefixCacheMb: 0, imageCacheMb: 1 }
const pool = testPool({ settings, runtime: () => runtimePaths('') })

afterAll(async () => {
  await pool.stop()
  rmSync(folder, { recursive: true })
})

function picture(side: number): ImagePart {
  const path = join(folder, `${side}.png`)
  writeFileSync(path, toPng({ width: side, height: side, rgb: new Uint8Array(3 * side * side) }))
  const hash = `${side}`.padEnd(64, '0')
  return { type: 'image', hash, path, detail: 'auto', width: side, height: side, orientation: 1, param: 'x' }
}

/** Returns the peak of the child's memory after an answer. */
async function peakAfter(content: Content): Promise<number> {
  const request = chatRequest({ messages: [{ role: 'user', content }], maxTokens: 2 })
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter: unlimited }
  await Array.fromAsync(pool.run(model, { kind: 'chat', request }, context))
  const pid = pool.status()[0]?.pid ?? 0
  return readProcessMemory([pid]).get(pid)?.peakBytes ?? Number.NaN
}

test('a picture takes no more than the estimate has for each of its pixels', async () => {
  const side = 1600
  const small = await peakAfter([picture(64)])
  const large = await peakAfter([picture(side)])
  expect((large - small) / side ** 2).toBeWithin(3, 9.5)
  const [status] = pool.status()
  expect(large).toBeLessThan(status?.estimatedBytes?.host ?? 0)
  // The engine reports the projector as part of its memory.
  const { modelBytes = 0 } = status?.info?.memory?.host ?? {}
  expect(modelBytes).toBeGreaterThan(Bun.file(filePaths.model).size + 0.9 * Bun.file(filePaths.mmproj).size)
}, 60_000)
