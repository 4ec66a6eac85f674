import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NativeAddon, NativeModel } from '../engines/llama/native.ts'
import { loadOptions, onCpu } from '../engines/llama/placement.ts'
import { spacedVocabulary } from './gguf/spaced-vocabulary.ts'
import { type TinyGgufOptions, tinyGguf } from './gguf/tiny-gguf.ts'
import { openTestAddon } from './native-options.ts'

const root = join(import.meta.dir, '../..')

/** Text of a template that ships with llama.cpp. `bun run native` unpacks them. */
export function shippedTemplate(name: string): string {
  const releaseFile = join(root, 'node_modules/node-llama-cpp/llama/binariesGithubRelease.json')
  const { release } = JSON.parse(readFileSync(releaseFile, 'utf8'))
  return readFileSync(join(root, 'build', `llama.cpp-${release}`, 'models/templates', `${name}.jinja`), 'utf8')
}

export interface TemplateModels {
  readonly addon: NativeAddon
  /** A tiny random model with this template; it stays loaded. */
  load(jinja: string, options?: TinyGgufOptions): Promise<NativeModel>
  /** A tiny random model whose vocabulary puts a space in front of every text. */
  loadSpaced(controlTokens: readonly string[]): Promise<NativeModel>
  dispose(): Promise<void>
}

/** Random models with any chat template, loaded into this process. */
export async function openTemplateModels(): Promise<TemplateModels> {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-templates-'))
  const addon = await openTestAddon()
  const models: NativeModel[] = []
  const load = async (bytes: Uint8Array) => {
    const modelPath = join(folder, `${models.length}.gguf`)
    writeFileSync(modelPath, bytes)
    const model = await addon.loadModel(loadOptions(modelPath, onCpu))
    models.push(model)
    return model
  }
  return {
    addon,
    load: (jinja, options = {}) => load(tinyGguf({ ...options, chatTemplate: { jinja } })),
    loadSpaced: (controlTokens) => load(tinyGguf({ vocabulary: spacedVocabulary(controlTokens) })),
    async dispose() {
      for (const model of models) model.close()
      rmSync(folder, { recursive: true })
    },
  }
}
