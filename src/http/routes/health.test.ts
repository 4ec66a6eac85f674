import { expect, test } from 'bun:test'
import { AudioDecoder } from '../../audio/audio-decoder.ts'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import { GgufFiles } from '../../catalog/gguf-file.ts'
import { newId } from '../../core/ids.ts'
import type { FilesState, ModelState } from '../../core/model-state.ts'
import { attemptLimits } from '../../operations/attempt-limits.ts'
import { Spool, spoolDefaults } from '../../spool/spool.ts'
import { testRules } from '../../testing/account-rules.ts'
import { freeTill } from '../../testing/free-till.ts'
import { testImageLimits } from '../../testing/image-limits.ts'
import { modelState } from '../../testing/model-state.ts'
import { quietTelemetry } from '../../testing/quiet-telemetry.ts'
import { openTestAccounts } from '../../testing/test-accounts.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { EventStreams } from '../event-streams.ts'
import { UiFiles } from '../pages/ui-files.ts'
import { RecentItems, recentItemsDefaults } from '../recent-items.ts'
import { createServer } from '../server.ts'
import { httpDefaults } from '../services.ts'
import { UploadProgress } from '../upload-progress.ts'

const absent: FilesState = { kind: 'available' }
const onDisk: FilesState = { kind: 'ready' }

/** Returns the answer of /ready for models with these files and engines in these states. */
async function readiness(
  models: Readonly<Record<string, FilesState>>,
  engines: Readonly<Record<string, ModelState['state']>>,
) {
  using books = openTestAccounts()
  const spool = new Spool({ folder: '/nowhere', ...spoolDefaults })
  const server = createServer({
    config: { version: 'test', ...httpDefaults },
    catalog: { entries: () => Object.entries(models).map(toEntry), resolve: () => undefined },
    stores: books.stores,
    rules: testRules,
    limits: attemptLimits(),
    mails: { wake: () => undefined },
    pool: {
      status: () => Object.entries(engines).map(([modelId, state]) => modelState({ modelId, state })),
      report: () => ({ queue: [] }),
      isLoaded: () => false,
      load: () => Promise.reject(new Error('nothing is loaded here')),
      keepAlive: () => undefined,
      contextLimit: () => Number.POSITIVE_INFINITY,
      run: () => {
        throw new Error('nothing runs here')
      },
    },
    ggufFiles: new GgufFiles(),
    till: freeTill,
    boxId: 'box',
    recentItems: new RecentItems(recentItemsDefaults),
    uploads: new UploadProgress(),
    streams: new EventStreams(),
    ...quietTelemetry(),
    spool,
    audioDecoder: new AudioDecoder({ spool, parallel: 2 }),
    images: { limits: testImageLimits, receive: () => Promise.reject(new Error('no picture comes here')) },
    ui: new UiFiles(),
    isStopping: () => false,
    log: () => undefined,
    newId,
    clock: Date.now,
  })
  const { url } = server.listen({ hostname: '127.0.0.1', port: 0 })
  const response = await fetch(`${url}/ready`)
  await server.stop({ force: true })
  const body = (await response.json()) as { models?: number; error?: { code: string } } // our own answer
  return {
    status: response.status,
    ...(body.error === undefined ? { models: body.models } : { code: body.error.code }),
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
