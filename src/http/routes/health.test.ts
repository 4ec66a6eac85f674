import { expect, test } from 'bun:test'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import type { FilesState, ModelState } from '../../core/model-state.ts'
import { modelState } from '../../testing/model-state.ts'
import { openTestAccounts } from '../../testing/test-accounts.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { errorResponse } from '../errors.ts'
import { ready } from './health.ts'

const absent: FilesState = { kind: 'available' }
const onDisk: FilesState = { kind: 'ready' }

/** Returns the answer of /ready for models with these files and engines in these states. */
async function readiness(
  models: Readonly<Record<string, FilesState>>,
  engines: Readonly<Record<string, ModelState['state']>>,
) {
  using books = openTestAccounts()
  const observer = { isRoutine: undefined }
  const services = {
    stores: books.stores,
    pool: { status: () => Object.entries(engines).map(([modelId, state]) => modelState({ modelId, state })) },
    catalog: { entries: () => Object.entries(models).map(toEntry) },
  }
  const response = answerOf(() => ready({ observer, services }))
  const body = (await response.json()) as { models?: number; error?: { code: string } } // our own answer
  return {
    status: response.status,
    ...(body.error === undefined ? { models: body.models } : { code: body.error.code }),
  }
}

function answerOf(handle: () => Response): Response {
  try {
    return handle()
  } catch (error) {
    return errorResponse(error, { requestId: '', dialect: 'chat', baseUrl: '' })
  }
}

function toEntry([id, status]: [string, FilesState]): CatalogEntry {
  const manifest = testManifest({ id })
  return { manifest, status, filePaths: {}, addedAtMs: 0 }
}

test('a server with files of a model is ready before anybody has asked for it', async () => {
  expect(await readiness({ 'a/a': onDisk, 'b/b': absent }, {})).toEqual({ status: 200, models: 1 })
})

test('a server without files of any model is not ready', async () => {
  expect(await readiness({ 'a/a': absent, 'b/b': { kind: 'broken', reason: 'cut short' } }, {})).toEqual({
    status: 503,
    code: 'not_ready',
  })
})

test.each(['stopped', 'starting', 'ready', 'stopping'] as const)('an engine that is %s can be asked', async (state) => {
  expect(await readiness({ 'a/a': onDisk }, { 'a/a': state })).toEqual({ status: 200, models: 1 })
})

test('a server whose engines have all given up is not ready', async () => {
  const models = { 'a/a': onDisk, 'b/b': onDisk, 'c/c': absent }
  const refusal = { status: 503, code: 'not_ready' }
  expect(await readiness(models, { 'a/a': 'failed', 'b/b': 'failed' })).toEqual(refusal)
  expect(await readiness(models, { 'a/a': 'failed' })).toEqual({ status: 200, models: 1 })
  expect(await readiness(models, { 'a/a': 'failed', 'b/b': 'ready' })).toEqual({ status: 200, models: 1 })
})
