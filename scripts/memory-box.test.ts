import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runMemoryBox } from './memory-box/run-memory-box.ts'

const readMemory = async () => ({ host: { totalBytes: 64e9, freeBytes: 64e9 } })

test('four real models share a memory for two', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-memory-box-'))
  try {
    const { text, problems } = await runMemoryBox({ folder, megabytes: 1, requests: 4, clients: 2, readMemory })
    expect(problems).toEqual([])
    expect(text).toContain('4 done')
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 60_000)
