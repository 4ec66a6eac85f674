/** A model as the rest of the program knows it: its parsed manifest and its state on this disk. */
import type { SettingValues } from './setting.ts'
import type { DiarizerSettings, SynthesizerSettings, TranscriberSettings } from './speech-model-settings.ts'
import type { TextModelSettings } from './text-model-settings.ts'
import type { UpstreamServers } from './upstream.ts'

export const modelTypes = ['chat', 'vision', 'embedding', 'rerank', 'tts', 'stt'] as const

export type ModelType = (typeof modelTypes)[number]

export type EngineKind = 'llama' | 'onnx' | 'speech' | 'diarization' | 'upstream' | 'fake'

export interface ModelFile {
  /** Part the file plays, e.g. `model`, `mmproj`, `tokenizer`. Of files that share one, such as the parts of a split model, the first is opened. */
  readonly role: string
  /** Path below the model's folder, checked: cannot lead out of it. Of an archive, the folder that it is unpacked to. */
  readonly name: string
  /** Source of a `pull`: `hf://org/repository/path` or `https://…`; absent for files that are already here. */
  readonly url?: string | undefined
  /** Absolute path, or a path relative to the manifest's own folder. */
  readonly path?: string | undefined
  /** Checksum of the fetched file. Absent if not confirmed: `pull` then takes the source's. */
  readonly sha256?: string | undefined
  readonly sizeBytes?: number | undefined
  /** Revision of the hub's repository that the file is fetched from. */
  readonly commit?: string | undefined
  /** True for a folder, which is unpacked from a fetched tar archive. */
  readonly unpack?: boolean | undefined
}

export interface ModelAlias {
  readonly id: string
  /** Default the alias carries; a request's own field wins. */
  readonly reasoning?: 'off' | 'on' | undefined
}

/** Prices in nano-USD per `unit`. */
export interface Pricing {
  readonly inputNanoUsd?: number | undefined
  readonly cachedInputNanoUsd?: number | undefined
  readonly outputNanoUsd?: number | undefined
  readonly priceNanoUsd?: number | undefined
  readonly unit: '1M_tokens' | '1M_characters' | 'minute'
}

/** Prices that the operator sets in place of the manifest's. */
export type PriceOverride = Omit<Pricing, 'unit'>

/** Settings of the model's engine that the operator sets in place of the manifest's, by the engine. */
export type SettingsOverride = { readonly [Kind in EngineKind]?: SettingValues }

/** Facts of a model's chat template, as far as its text tells them. */
export interface TemplateFacts {
  /** Shows tools, or calls of earlier answers. */
  readonly callsTools: boolean
  /** Thinking: none, switched by a variable, by its effort, or always there. */
  readonly reasoning: 'none' | 'toggle' | 'effort' | 'always'
}

/** Capabilities that a chat template gives a model: its manifest may say others. */
export function templateCapabilities(template: TemplateFacts | undefined): ModelManifest['capabilities'] {
  return template === undefined ? {} : { tools: template.callsTools, reasoning: template.reasoning }
}

export interface ModelManifest {
  /** Canonical `<org>/<model-name>`. */
  readonly id: string
  readonly type: ModelType
  readonly engine: EngineKind
  /** SPDX id, `LicenseRef-…`, or the licence text of the model's file. */
  readonly license?: string | undefined
  /** Address of the licence's text. */
  readonly licenseUrl?: string | undefined
  /** The licence binds who serves the model: the operator accepts it before the model is fetched. */
  readonly acceptLicense?: boolean | undefined
  /** The licence forbids to take money. */
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
  /** Values for requests that say nothing. */
  readonly defaults: {
    readonly temperature?: number | undefined
    readonly topP?: number | undefined
    readonly topK?: number | undefined
    readonly minP?: number | undefined
    readonly reasoning?: 'off' | 'on' | undefined
    /** Limit on generated tokens; a budget of thinking that a request names comes on top. */
    readonly maxTokens?: number | undefined
    /** False lets answers that only repeat themselves continue. */
    readonly repetitionDetection?: boolean | undefined
  }
}

/** A model as an engine loads it. Paths are absolute. */
export interface InstalledModel {
  readonly manifest: ModelManifest
  /** Paths by the role of each file; the first one of files that share a role. */
  readonly filePaths: Readonly<Record<string, string>>
  /** Files that a load on a GPU takes for their roles; undefined unless all of them are here. */
  readonly gpuFilePaths?: Readonly<Record<string, string>> | undefined
  /** Changes when one of the files is written or replaced. */
  readonly filesVersion?: string | undefined
}

/**
 * Returns whether a prompt for the model may hold pictures: its type says so, its manifest then names a projector, and no check found that its
 * servers take none.
 */
export function sees({ type, upstream }: Pick<ModelManifest, 'type' | 'upstream'>): boolean {
  return type === 'vision' && upstream?.lacks?.includes('pictures') !== true
}

const freeTokens: Pricing = { inputNanoUsd: 0, outputNanoUsd: 0, unit: '1M_tokens' }

/** Prices of a model that is free for all, in the unit and the fields of its type. */
export const freePricing: Readonly<Record<ModelType, Pricing>> = {
  chat: freeTokens,
  vision: freeTokens,
  embedding: { priceNanoUsd: 0, unit: '1M_tokens' },
  rerank: { priceNanoUsd: 0, unit: '1M_tokens' },
  tts: { priceNanoUsd: 0, unit: '1M_characters' },
  stt: { priceNanoUsd: 0, unit: 'minute' },
}

/**
 * Returns a model's prices, and whether any are set: without, the model costs nothing and is for unmetered accounts
 * only.
 */
export function pricingOf({ pricing, type }: Pick<ModelManifest, 'pricing' | 'type'>): {
  readonly pricing: Pricing
  readonly isPriced: boolean
} {
  return { pricing: pricing ?? freePricing[type], isPriced: pricing !== undefined }
}
