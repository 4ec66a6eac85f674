import type { EngineSettings } from '../engines/engine-table.ts'

/** Small settings that are the same on every machine. */
export const testEngineSettings: EngineSettings = {
  parallel: 4,
  contextTokens: 1024,
  requestTokens: 0,
  maxWaiting: 512,
  prefixCacheMb: 64,
  imageCacheMb: 64,
  imageTokens: 0,
  batchTokens: 64,
  threads: 1,
  device: 'cpu',
  kvType: 'f16',
  flashAttention: 'auto',
  speculative: 'auto',
  shareCache: false,
  keepAliveMs: Number.POSITIVE_INFINITY,
}
