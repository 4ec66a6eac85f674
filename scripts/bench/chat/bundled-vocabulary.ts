import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { $ } from 'bun'

const vocabulary = 'models/ggml-vocab-qwen2.gguf'

/**
 * Returns the path of a real tokenizer (151,936 tokens), taken once from the llama.cpp source that node-llama-cpp
 * carries as a git bundle, and kept below `build/`. Rejects if the packages or git are not installed.
 */
export async function bundledVocabulary(root: string): Promise<string> {
  const path = join(root, 'build', 'bench', 'ggml-vocab-qwen2.gguf')
  if (existsSync(path)) return path
  const bundle = join(root, 'node_modules', 'node-llama-cpp', 'llama', 'gitRelease.bundle')
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing: run \`bun install\`, or give --vocab FILE`)
  const repository = mkdtempSync(join(tmpdir(), 'inferd-vocabulary-'))
  try {
    await $`git clone --quiet --bare ${bundle} ${repository}`
    await mkdir(dirname(path), { recursive: true })
    await $`git -C ${repository} show HEAD:${vocabulary} > ${path}.tmp`
    await rename(`${path}.tmp`, path)
  } finally {
    rmSync(repository, { recursive: true })
  }
  return path
}
