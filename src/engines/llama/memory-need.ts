/** What an engine process needs in all: what llama.cpp tells, and what it does not. */
import type { MemoryBreakdown, MemoryBytes } from '../../core/memory.ts'
import type { LlamaSettings } from './settings.ts'

const mebibyte = 1024 * 1024

/** Runtime, libraries, JavaScript heap. */
const processBytes = 200 * mebibyte

/** A device's context and its libraries' workspaces, which nothing tells before the first load. */
const deviceBytes = 512 * mebibyte
const deviceShare = 0.02

export function needBytes(
  memory: MemoryBreakdown,
  { prefixCacheMb }: Pick<LlamaSettings, 'prefixCacheMb'>,
): MemoryBytes {
  const need: Record<string, number> = { host: processBytes + prefixCacheMb * mebibyte }
  for (const [pool, { modelBytes, contextBytes, computeBytes }] of Object.entries(memory)) {
    const told = modelBytes + contextBytes + computeBytes
    const untold = pool === 'host' || told === 0 ? 0 : deviceBytes + Math.ceil(told * deviceShare)
    if (told > 0) need[pool] = (need[pool] ?? 0) + told + untold
  }
  return need
}
