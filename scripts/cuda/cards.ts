import { toolkitName } from './toolkit.ts'

/** Oldest cards that ggml-cuda and CUDA 13 work on. */
const oldest = 75

/**
 * Returns the architectures of cards from what `nvidia-smi --query-gpu=compute_cap --format=csv,noheader` prints, each once, ascending.
 * Blackwell's code has instructions of one card alone, so its names end in `a`.
 */
export function architecturesOf(printed: string): string[] {
  const numbers = [...printed.matchAll(/^\s*(\d+)\.(\d)\s*$/gm)].map(([, major, minor]) => Number(`${major}${minor}`))
  const usable = [...new Set(numbers)].filter((number) => number >= oldest).sort((first, second) => first - second)
  return usable.map((number) => (number >= 120 ? `${number}a` : `${number}`))
}

/** Returns the architectures of this machine's cards; none without cards or without a driver. */
export function cardsHere(environment = process.env): string[] {
  const program = Bun.which('nvidia-smi', { PATH: environment.PATH ?? '' })
  if (program === null) return []
  const asked = Bun.spawnSync([program, '--query-gpu=compute_cap', '--format=csv,noheader'], {
    env: environment,
    stderr: 'ignore',
    timeout: 30_000,
  })
  return asked.success ? architecturesOf(asked.stdout.toString()) : []
}

/** Returns the names in `wanted` that a toolkit makes no code for. */
export function unknownTo(known: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((name) => !known.includes(toolkitName(name)))
}
