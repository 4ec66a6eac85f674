import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testManifest } from '../../testing/test-manifest.ts'
import { placementByFileSize } from './placement-by-file-size.ts'

test('a model needs a multiple of its files, those in folders too, and room for a process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-placement-'))
  const need = async (filePaths: Readonly<Record<string, string>>) => {
    const model = { manifest: testManifest(), filePaths }
    const [placement] = await placementByFileSize(2)({ model, settings: {}, runtime: {} as never, budgetBytes: {} })
    return (placement?.needBytes.host ?? 0) - 300 * 1024 * 1024
  }
  try {
    mkdirSync(join(folder, 'archive/data/lang'), { recursive: true })
    for (const name of ['vad.onnx', 'archive/model.onnx', 'archive/data/lang/en'])
      writeFileSync(join(folder, name), Buffer.alloc(1000))
    expect(await need({ vad: join(folder, 'vad.onnx') })).toBe(2_000)
    expect(await need({ vad: join(folder, 'vad.onnx'), model: join(folder, 'archive') })).toBe(6_000)
    expect(await need({ model: join(folder, 'gone') }).catch(String)).toContain('gone is not there')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
