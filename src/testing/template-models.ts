import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NativeAddon, NativeModel } from '../engines/llama/native.ts'
import { loadOptions, onCpu } from '../engines/llama/placement.ts'
import { learnAbilities } from '../engines/llama/prompt/learn-abilities.ts'
import type { TemplateAbilities } from '../engines/shared/messages/template-abilities.ts'
import { spacedVocabulary } from './gguf/spaced-vocabulary.ts'
import { type TinyGgufOptions, tinyGguf } from './gguf/tiny-gguf.ts'
import { openTestAddon } from './native-options.ts'

const root = join(import.meta.dir, '../..')

/** Returns the folder of the templates that ship with llama.cpp. `bun run native` unpacks them. */
function templatesFolder(): string {
  const releaseFile = join(root, 'node_modules/node-llama-cpp/llama/binariesGithubRelease.json')
  const { release } = JSON.parse(readFileSync(releaseFile, 'utf8'))
  return join(root, 'build', `llama.cpp-${release}`, 'models/templates')
}

/** Returns the names of all templates that ship with llama.cpp. */
export function shippedTemplateNames(): string[] {
  const files = readdirSync(templatesFolder()).filter((file) => file.endsWith('.jinja'))
  return files.map((file) => file.slice(0, -'.jinja'.length)).toSorted()
}

/** Returns the text of a template that ships with llama.cpp. */
export function shippedTemplate(name: string): string {
  return readFileSync(join(templatesFolder(), `${name}.jinja`), 'utf8')
}

export interface TemplateModels {
  readonly addon: NativeAddon
  /** Loads a tiny random model with this template, which stays loaded. */
  load(jinja: string, options?: TinyGgufOptions): Promise<TemplateModel>
  /** Loads a tiny random model whose vocabulary puts a space before every text. */
  loadSpaced(controlTokens: readonly string[]): Promise<NativeModel>
  dispose(): Promise<void>
}

/** Abilities of a template that shows every history unchanged. */
export const allAbilities: TemplateAbilities = {
  system: 'anywhere',
  repeatsRoles: true,
  userAfterResults: true,
  assistantFirst: true,
  withoutUser: true,
  calls: 'several',
  nestedArguments: true,
  textBesideCalls: true,
  textBesideThinking: true,
  openCalls: true,
  looseResults: true,
  resultPictures: true,
  anyIds: true,
  tools: 'native',
  thinks: true,
}

/** A model in the form that the preparation of prompts needs. */
export type TemplateModel = NativeModel & { readonly abilities: TemplateAbilities }

export async function withAbilities(model: NativeModel): Promise<TemplateModel> {
  return Object.assign(model, { abilities: await learnAbilities(model) })
}

/** Opens a loader of random models with any chat template, in this process. */
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
    load: async (jinja, options = {}) => withAbilities(await load(tinyGguf({ ...options, chatTemplate: { jinja } }))),
    loadSpaced: (controlTokens) => load(tinyGguf({ vocabulary: spacedVocabulary(controlTokens) })),
    async dispose() {
      for (const model of models) model.close()
      rmSync(folder, { recursive: true })
    },
  }
}
