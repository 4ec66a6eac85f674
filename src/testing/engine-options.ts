import type { EngineOptions } from '../engines/protocol.ts'

/** Small, and the same on every machine. */
export const testEngineOptions: EngineOptions = {
  parallel: 4,
  contextTokens: 1024,
  requestTokens: 0,
  maxWaiting: 512,
  prefixCacheBytes: 64 * 1024 * 1024,
  batchTokens: 64,
  threads: 1,
  device: 'cpu',
  kvType: 'f16',
  flashAttention: 'auto',
  shareCache: false,
}
