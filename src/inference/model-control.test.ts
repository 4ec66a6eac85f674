import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unlimited } from '../engines/protocol/work-engines.ts'
import { testPool } from '../testing/engine-pool.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { diarizerOf } from './diarizer.ts'
import { modelControl } from './model-control.ts'

test('a diarizer is busy with the requests of its model, and is unloaded with it', async () => {
  const pool = testPool()
  const folder = mkdtempSync(join(tmpdir(), 'inferd-model-control-'))
  const resolved = resolvedModel({ type: 'stt', capabilities: { diarization: true } }, { filePaths: {} })
  const control = modelControl({ resolve: () => resolved, entries: () => [resolved.entry] }, pool)
  const states = () => pool.status().map(({ modelId, state }) => [modelId, state])
  try {
    await control.load('a/b')
    expect(states()).toEqual([['a/b', 'ready']])
    const path = join(folder, 'recording.pcm')
    writeFileSync(path, JSON.stringify({ diarize: { script: [{ waitForCancel: true }] } }))
    const client = new AbortController()
    const context = { accountId: 'acc_1', signal: client.signal, meter: unlimited }
    const request = { audio: { path, sampleCount: 16_000 } }
    const events = pool.run(diarizerOf(resolved.entry), { kind: 'diarize', request }, context)
    await events.next()
    expect(control.requestsOf('a/b')).toEqual({ running: 1, waiting: 0 })
    client.abort(new Error('client left'))
    expect(await Array.fromAsync(events).catch(String)).toBe('Error: client left')
    expect(control.requestsOf('a/b')).toEqual({ running: 0, waiting: 0 })
    await control.unload('a/b', 'drain')
    expect(states()).toEqual([
      ['a/b', 'stopped'],
      ['a/b:diarizer', 'stopped'],
    ])
  } finally {
    await pool.stop()
    rmSync(folder, { recursive: true })
  }
})
