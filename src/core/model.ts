/** A model as the rest of the program knows it: its parsed manifest and its state on this disk. */
import type { SettingValues } from './setting.ts'
import type { DiarizerSettings, SynthesizerSettings, TranscriberSettings } from './speech-model-settings.ts'
import type { TextModelSettings } from './text-model-settings.ts'
import type { UpstreamServers } from './upstream.ts'

export const modelTypes = ['chat', 'vision', 'embedding', 'rerank', 'tts', 'stt', 'image', 'moderation'] as const

export type ModelType = (typeof modelTypes)[number]

/** Kind of work that a model is chosen for: its type, but transcribers that label speakers are apart. */
export type ModelPurpose = ModelType | 'diarization'

export type EngineKind = 'llama' | 'onnx' | 'speech' | 'diarization' | 'upstream' | 'fake'

export interface ModelFile {
  /**
   * Role of the file, such as `model`, `mmproj`, `tokenizer`. Of several files with one role, such as the parts of a
   * split model, the first is opened.
   */
  readonly role: string
  /**
   * Path below the model's folder, checked so that it cannot lead out of it. For an archive, the folder that it is
   * unpacked to.
   */
  readonly name: string
  /** Source of a `pull`: `hf://org/repository/path` or `https://…`; absent for files that are already here. */
  readonly url?: string | undefined
  /** Absolute path, or a path relative to the manifest's own folder. */
  readonly path?: string | undefined
  /** Checksum of the fetched file. Absent if not confirmed: `pull` then trusts the checksum of the source. */
  readonly sha256?: string | undefined
  readonly sizeBytes?: number | undefined
  /** Revision of the hub's repository that the file is fetched from. */
  readonly commit?: string | undefined
  /** True for a folder, which is unpacked from a fetched tar archive. */
  readonly unpack?: boolean | undefined
}

export interface ModelAlias {
  readonly id: string
  /** Thinking that the alias asks for. A request's own field wins. */
  readonly reasoning?: 'off' | 'on' | undefined
}

/** Prices in nano-USD per `unit`. */
export interface Pricing {
  readonly inputNanoUsd?: number | undefined
  readonly cachedInputNanoUsd?: number | undefined
  readonly outputNanoUsd?: number | undefined
  readonly priceNanoUsd?: number | undefined
  /** Price of a search of the web. Set for requests that may search. */
  readonly searchNanoUsd?: number | undefined
  readonly unit: '1M_tokens' | '1M_characters' | 'minute' | 'image'
}

/** Prices that replace the manifest's, set by the operator. */
export type PriceOverride = Omit<Pricing, 'unit' | 'searchNanoUsd'>

/** Engine settings that replace the manifest's for one model, by engine, set by the operator. */
export type SettingsOverride = { readonly [Kind in EngineKind]?: SettingValues }

/** Facts that a chat template's text reveals. */
export interface TemplateFacts {
  /** True if the template shows tools, or calls of earlier answers. */
  readonly callsTools: boolean
  /** Thinking: none, switched by a variable, by its effort, or always on. */
  readonly reasoning: 'none' | 'toggle' | 'effort' | 'always'
}

/** Returns the capabilities that a chat template gives a model. Its manifest may override them. */
export function templateCapabilities(template: TemplateFacts | undefined): ModelManifest['capabilities'] {
  return template === undefined ? {} : { tools: template.callsTools, reasoning: template.reasoning }
}

export interface ModelManifest {
  /** Canonical `<org>/<model-name>`. */
  readonly id: string
  readonly type: ModelType
  readonly engine: EngineKind
  /** One line that says why one would take the model. */
  readonly why?: string | undefined
  /** SPDX id, `LicenseRef-…`, or the licence text of the model's file. */
  readonly license?: string | undefined
  /** Address of the licence's text. */
  readonly licenseUrl?: string | undefined
  /** True if the operator must accept the licence before a download, because it binds who serves the model. */
  readonly acceptLicense?: boolean | undefined
  /** True if the licence forbids to charge money. */
  readonly noncommercial?: boolean | undefined
  readonly contextLength?: number | undefined
  readonly dimensions?: number | undefined
  readonly aliases: readonly ModelAlias[]
  readonly files: readonly ModelFile[]
  /** Files that replace files of the same role in GPU loads. Other loads do not need them. */
  readonly gpuFiles?: readonly ModelFile[] | undefined
  readonly pricing?: Pricing | undefined
  readonly capabilities: Readonly<Record<string, boolean | string>>
  /** Settings of its engine for this model alone. */
  readonly settings?: SettingValues | undefined
  /** Servers of an upstream model, which has no files here. */
  readonly upstream?: UpstreamServers | undefined
  /** Settings of a model that embeds or scores texts. */
  readonly encoder?: TextModelSettings | undefined
  /** Settings of a model that transcribes. */
  readonly transcriber?: TranscriberSettings | undefined
  /** Settings of a model that labels speakers, where they are unusual. */
  readonly diarizer?: DiarizerSettings | undefined
  /** Settings of a model that speaks. */
  readonly synthesizer?: SynthesizerSettings | undefined
  /** Defaults for fields that a request leaves out. */
  readonly defaults: {
    readonly temperature?: number | undefined
    readonly topP?: number | undefined
    readonly topK?: number | undefined
    readonly minP?: number | undefined
    readonly reasoning?: 'off' | 'on' | undefined
    /** Limit on generated tokens. A request's budget for thinking is added to it. */
    readonly maxTokens?: number | undefined
    /** False lets answers that only repeat themselves continue. */
    readonly repetitionDetection?: boolean | undefined
  }
}

/** A model as an engine loads it. Paths are absolute. */
export interface InstalledModel {
  readonly manifest: ModelManifest
  /** Path by role. The first one if several files share a role. */
  readonly filePaths: Readonly<Record<string, string>>
  /** Paths by role that replace `filePaths` in loads on a GPU. Undefined unless all of them are here. */
  readonly gpuFilePaths?: Readonly<Record<string, string>> | undefined
  /** Version that changes when a file is written or replaced. */
  readonly filesVersion?: string | undefined
}

/**
 * Returns whether a prompt for the model may hold pictures: by its type, whose manifest names a projector, unless a
 * check found that its servers take none.
 */
export function sees({ type, upstream }: Pick<ModelManifest, 'type' | 'upstream'>): boolean {
  return type === 'vision' && upstream?.lacks?.includes('pictures') !== true
}

/** Returns whether a prompt for the model may hold recordings: its manifest says so, and its projector is here. */
export function hears({
  type,
  upstream,
  capabilities,
}: Pick<ModelManifest, 'type' | 'upstream' | 'capabilities'>): boolean {
  return capabilities.audio === true && upstream === undefined && (type === 'chat' || type === 'vision')
}

const freeTokens: Pricing = { inputNanoUsd: 0, outputNanoUsd: 0, unit: '1M_tokens' }

/** Prices of a free model, in its type's unit and fields. */
export const freePricing: Readonly<Record<ModelType, Pricing>> = {
  chat: freeTokens,
  vision: freeTokens,
  embedding: { priceNanoUsd: 0, unit: '1M_tokens' },
  rerank: { priceNanoUsd: 0, unit: '1M_tokens' },
  tts: { priceNanoUsd: 0, unit: '1M_characters' },
  stt: { priceNanoUsd: 0, unit: 'minute' },
  image: { priceNanoUsd: 0, unit: 'image' },
  moderation: { priceNanoUsd: 0, unit: '1M_tokens' },
}

/**
 * Returns a model's prices, and whether any are set. A model without prices costs nothing, and only unmetered accounts
 * may use it.
 */
export function pricingOf({ pricing, type }: Pick<ModelManifest, 'pricing' | 'type'>): {
  readonly pricing: Pricing
  readonly isPriced: boolean
} {
  return { pricing: pricing ?? freePricing[type], isPriced: pricing !== undefined }
}
