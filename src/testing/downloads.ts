/** Downloads in tests: from a hub on loopback, in small chunks, without pauses between attempts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Downloader, type DownloaderOptions } from '../store/download/downloader.ts'
import type { PlannedFile } from '../store/plan.ts'
import { WebClient, type WebOptions } from '../store/web/web-client.ts'
import { type FakeHub, startFakeHub } from './fake-hub/fake-hub.ts'

export const testChunkBytes = 64 * 1024

export interface TestDownloads extends AsyncDisposable {
  readonly hub: FakeHub
  /** Removed at the end. */
  readonly folder: string
  /** Returns the plan of a file in the hub's repository `org/repo`, by default `model.bin`. */
  planned(name?: string, change?: Partial<PlannedFile>): PlannedFile
  downloader(options?: Partial<DownloaderOptions>, web?: Partial<WebOptions>): Downloader
}

export async function startTestDownloads(): Promise<TestDownloads> {
  const hub = await startFakeHub()
  const folder = mkdtempSync(join(tmpdir(), 'inferd-download-'))
  const downloaders: Downloader[] = []
  return {
    hub,
    folder,
    planned: (name = 'model.bin', change = {}) => ({
      role: 'model',
      name,
      address: `${hub.origin}/org/repo/resolve/main/${name}`,
      source: `hf:org/repo/${name}`,
      bytes: undefined,
      sha256: undefined,
      ...change,
    }),
    downloader(options = {}, web = {}) {
      const client = new WebClient({ isInsecureAllowed: false, trustedOrigins: [], environment: {}, ...web })
      const made = new Downloader({ client, chunkBytes: testChunkBytes, pauseMs: () => 0, ...options })
      downloaders.push(made)
      return made
    },
    [Symbol.asyncDispose]: async () => {
      for (const downloader of downloaders) downloader[Symbol.dispose]()
      await hub[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns bytes that compress badly and never repeat, the same for the same seed. */
export function randomBytes(length: number, seed = 1): Uint8Array {
  let state = seed
  const words = new Uint32Array(Math.ceil(length / 4))
  for (let index = 0; index < words.length; index++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index] = state
  }
  return new Uint8Array(words.buffer, 0, length)
}
