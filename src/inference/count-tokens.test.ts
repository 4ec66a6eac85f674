import { expect, test } from 'bun:test'
import type { CatalogEntry } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { countTokens, type TokenCounters } from './count-tokens.ts'

const { signal } = new AbortController()

function count(entry: Partial<CatalogEntry> = {}, manifest: Partial<ModelManifest> = {}) {
  const calls: Parameters<TokenCounters['countTokens']>[] = []
  const pool: TokenCounters = {
    countTokens: async (...call) => {
      calls.push(call)
      return 42
    },
  }
  const resolved = {
    requestedId: 'off',
    alias: { id: 'off', reasoning: 'off' as const },
    entry: {
      manifest: {
        id: 'a/b',
        type: 'chat' as const,
        engine: 'fake' as const,
        aliases: [],
        files: [],
        capabilities: {},
        defaults: { temperature: 0.5 },
        ...manifest,
      },
      status: { kind: 'ready' as const },
      filePaths: { model: '/models/b.gguf' },
      addedAtMs: 0,
      ...entry,
    },
  }
  return { calls, counted: countTokens({ request: chatRequest(), resolved, accountId: 'acc_1', signal, pool }) }
}

test('counts the request as it would be run: with the defaults of its alias and model', async () => {
  const { calls, counted } = count()
  expect(await counted).toBe(42)
  expect(calls).toEqual([
    [
      expect.objectContaining({ filePaths: { model: '/models/b.gguf' } }),
      expect.objectContaining({
        sampling: expect.objectContaining({ temperature: 0.5 }),
        reasoning: expect.objectContaining({ mode: 'off' }),
      }),
      { accountId: 'acc_1', signal },
    ],
  ])
})

test.each([
  ['a model of another type', {}, { type: 'embedding' as const }, 'model_type_mismatch'],
  ['a model without files', { status: { kind: 'available' as const } }, {}, 'model_not_found'],
])('counts nothing for %s', async (_, entry, manifest, code) => {
  const { calls, counted } = count(entry, manifest)
  const error = await counted.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code })
  expect(calls).toEqual([])
})
