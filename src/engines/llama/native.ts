/**
 * Contract of the C++ addon in `native/`, whose README has the rules for its use. Types only: `open-runtime.ts` loads
 * the addon, and only inside the engine child.
 */
import type { MemoryParts } from '../../core/memory.ts'
import type { EngineDevice } from '../protocol/backend.ts'
import type { NativeProjector, NativeProjectorOptions } from './native-projector.ts'

export interface NativeAddon {
  /** Versions the addon was compiled against, e.g. `{ nodeLlamaCpp: "3.22.1", llamaCpp: "v0.5.0" }`. */
  readonly compiledAgainst: { readonly nodeLlamaCpp: string; readonly llamaCpp: string }
  /**
   * Loads the library of one backend by its absolute path. Returns its logged errors, '' if there are none. Throws the
   * loader's message if the library cannot be loaded. Some libraries end the process.
   */
  loadBackend(file: string): string
  /** Loads the best library for this CPU from a folder that holds only such libraries. Further calls do nothing. */
  loadBackends(folder: string): void
  /** Initializes llama.cpp. Its backends must be loaded before. */
  start(): void
  /** Loads a projector beside its model, off the main thread. Rejects as `loadModel` does. */
  loadProjector(options: NativeProjectorOptions): Promise<NativeProjector>
  /** Resolves to the memory by device that a projector would take, without loading it. Rejects as `loadModel` does. */
  projectorMemory(options: Omit<NativeProjectorOptions, 'model'>): Promise<readonly NativeMemory[]>
  /** Returns the GPUs of the loaded backend, named by their indices. */
  devices(): readonly EngineDevice[]
  /**
   * Loads a model off the main thread. Rejects in llama.cpp's words, with the code `OUT_OF_MEMORY` or `LOAD_FAILED`;
   * some malformed files end the process.
   */
  loadModel(options: NativeLoadOptions): Promise<NativeModel>
  /** Returns the part of the loading model that has been read, 0 to 1. A mapped file is not read. */
  loadProgress(): number
  /** Limits: processor time of all renderings together, and the length of any text that a rendering makes. */
  readonly Rendering: new (limits: {
    readonly cpuMs: number
    readonly textBytes: number
  }) => NativeRendering
  readonly Context: new (model: NativeModel, options: NativeContextOptions) => NativeStepper
  readonly Sampler: new (model: NativeModel, options: NativeSamplerOptions) => NativeSampler
}

export interface NativeLoadOptions {
  readonly path: string
  /** Devices that may hold layers. Empty means the CPU alone. */
  readonly devices: readonly number[]
  /** Share of the layers by device, in any unit; empty: by free memory. */
  readonly deviceShares: readonly number[]
  /** Number of the model's last layers that lie on the devices, the output counted as one. -1 means all. */
  readonly gpuLayers: number
  /** Regular expressions for names of tensors that stay in the host's memory, in any layer. */
  readonly cpuTensors: readonly string[]
  /** `direct` bypasses the page cache. */
  readonly loadMode: 'mmap' | 'buffered' | 'direct'
  /**
   * True to read only the header and allocate only recurrent states: contexts report the memory that they would take.
   * Only the size of the vocabulary is known, so texts and templates cannot be used.
   */
  readonly noAlloc: boolean
  /** True to read only vocabulary and chat template: contexts cannot be made. */
  readonly vocabularyOnly: boolean
  /** True to load its draft head (multi-token prediction) too, if it has a usable one. */
  readonly draftHead: boolean
}

/** Loaded model. Contexts and samplers keep the weights as long as they need them. */
export interface NativeModel {
  readonly info: NativeModelInfo
  /**
   * Resolves to the token ids of `text`, computed off the main thread. Recognises special tokens only with
   * `parseSpecial`.
   */
  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Promise<Int32Array>
  /** Returns the exact bytes of one token. A control token gives its text if `special`, else nothing. */
  tokenBytes(token: number, special: boolean): Uint8Array
  /**
   * Resolves to the reason for which ChatML replaces the model's own chat template, '' if it does not: the template
   * cannot be read, does not end, or cannot show one sentence of a user. Only the first call takes a while.
   */
  checkTemplate(): Promise<string>
  /**
   * Renders the model's chat template off the main thread. Rejects with the template's own message if it refuses the
   * messages, and with the code `RENDER_STOPPED` if `rendering` is cancelled or beyond its limits. Without `rendering`,
   * default limits apply.
   */
  applyTemplate(inputs: NativeTemplateInputs, rendering?: NativeRendering): Promise<NativeChatFormat>
  /**
   * Resolves to GBNF for texts that keep to a JSON schema, made off the main thread. Rejects with llama.cpp's words.
   */
  schemaGrammar(schema: string): Promise<string>
  /** Frees the weights with the last context and sampler. Everything else throws afterwards. */
  close(): void
}

/** All renderings of one request, which run one at a time. */
export interface NativeRendering {
  /** Ends the running rendering within a few milliseconds, and prevents further ones. */
  cancel(): void
}

export interface NativeModelInfo {
  readonly description: string
  readonly vocabularySize: number
  /** Numbers of one embedding in a batch. */
  readonly embeddingSize: number
  /** Sliding window in tokens, 0 when the model has none. */
  readonly slidingWindowTokens: number
  readonly layers: number
  /** Mixture of experts. */
  readonly hasExperts: boolean
  /** Token that begins texts. Absent if the model has none. */
  readonly startToken?: number
  /** True if texts for this model begin with the start token. */
  readonly addsStartToken: boolean
  /** Token that ends texts, and the one that fills rows. Absent if the model has none. */
  readonly endToken?: number
  readonly padToken?: number
  /** Chat template as the file has it. Absent if it has none. */
  readonly chatTemplate?: string
  /** Tokens around the text before and behind a gap. Absent if the file names none. */
  readonly fillTokens?: NativeFillTokens
  /** True if its positions depend on the length of the cache (LongRoPE). */
  readonly hasLongFactors: boolean
  /** True if a draft head has been loaded. */
  readonly hasDraftHead: boolean
  /** True for recurrent or hybrid memory: a tail cannot be cut off a sequence. */
  readonly isRecurrent: boolean
}

interface NativeFillTokens {
  readonly prefix: number
  readonly suffix: number
  /**
   * Token before the generated text. Absent if the model has none: the suffix then comes first, and the generated text
   * follows the prefix.
   */
  readonly middle?: number
}

export interface NativeTemplateInputs {
  /** Messages in the chat-completions wire shape, as JSON (llama.cpp's own parser reads it). */
  readonly messagesJson: string
  /** Tools in the chat-completions wire shape, as JSON; '' or '[]' for none. */
  readonly toolsJson: string
  readonly toolChoice: 'auto' | 'required' | 'none'
  readonly parallelToolCalls: boolean
  /** Setting of thinking. Undefined leaves it to the template. */
  readonly enableThinking: boolean | undefined
  /** Further template variables, each value as JSON text. */
  readonly templateVariables: Readonly<Record<string, string>>
  readonly addGenerationPrompt: boolean
  /** True to continue the last (assistant) message instead of starting a new one. */
  readonly continueFinalMessage: boolean
}

/** One rendered prompt with the parser of its answer, which is native. */
export interface NativeChatFormat {
  readonly prompt: string
  readonly generationPrompt: string
  readonly grammar: string
  readonly grammarLazy: boolean
  readonly grammarTriggers: readonly NativeGrammarTrigger[]
  readonly preservedTokens: readonly string[]
  readonly additionalStops: readonly string[]
  readonly thinkingStartTag: string
  readonly thinkingEndTags: readonly string[]
  /** Parses the answer so far, whole or not. */
  parse(text: string): NativeParsedMessage
}

export interface NativeGrammarTrigger {
  /** llama.cpp's common_grammar_trigger_type. */
  readonly type: 'token' | 'word' | 'pattern' | 'pattern-full'
  readonly value: string
}

export interface NativeParsedMessage {
  /** False if no continuation of the text can fit the format. Then nothing was read. */
  readonly fits: boolean
  /** True if the answer may end here, even if more could follow. */
  readonly isComplete: boolean
  /** Last piece of the answer that was read. */
  readonly last?: NativeAnswerPiece
  readonly content: string
  readonly reasoning: string
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[]
}

interface NativeAnswerPiece {
  /** `arguments`: all arguments of a call, as JSON. `string-argument`: one of them, as bare text. */
  readonly kind: 'text' | 'reasoning' | 'arguments' | 'string-argument'
  /** Place in the parsed text; negative where the prompt holds it. */
  readonly start: number
  readonly end: number
}

export interface NativeContextOptions {
  readonly contextTokens: number
  readonly batchTokens: number
  readonly microBatchTokens: number
  readonly sequences: number
  readonly threads: number
  readonly kvUnified: boolean
  readonly kvType: 'f16' | 'q8_0' | 'q4_0'
  readonly flashAttention: 'auto' | 'on' | 'off'
  /** Model with the draft head: the same model, or one that holds only the head. Absent without a head. */
  readonly draftHead?: NativeModel
  /**
   * With a draft head: drafts of one step that a recurrent model can take back. Each costs memory for one state per
   * sequence.
   */
  readonly draftTokens?: number
}

export interface NativeContext {
  readonly contextTokens: number
  /** Entries of a step that outputs and scores may read. */
  readonly maxOutputs: number
  /**
   * Decodes one batch and samples. Runs off the main thread; one step at a time per context (a second call while one
   * runs rejects). Entry i of the batch lies at `positions[i]` of sequence `sequences[i]`. `threads`: CPU threads of
   * this step and those that follow.
   */
  step(batch: NativeBatch, threads?: number): Promise<NativeStepResult>
  /**
   * Forgets positions [from, to) of a sequence, to = -1 meaning the end. Returns false if this memory cannot do that.
   */
  removeSequence(sequence: number, from: number, to: number): boolean
  /** Gives `target` the positions [from, to) of `source`; target must be empty there. */
  copySequence(source: number, target: number, from: number, to: number): void
  /** Returns the smallest position still held for a sequence, -1 if empty (matters for sliding windows). */
  minPosition(sequence: number): number
  maxPosition(sequence: number): number
  /** Returns the state of one sequence. `restoreSequence` returns false if a state does not fit. */
  saveSequence(sequence: number): Uint8Array
  restoreSequence(sequence: number, state: Uint8Array): boolean
  /** Returns the memory of the context and its model by device. Throws during a step. */
  memoryBreakdown(): readonly NativeMemory[]
  /** Frees the native context; a running step is waited for first. Everything else throws afterwards. */
  close(): Promise<void>
}

/** A context that can queue a step behind the running one. */
export interface NativeStepper extends NativeContext {
  /**
   * Queues a step behind the running one, in which each sequence must sample once behind one token. The new step
   * continues with those samples and begins as soon as the other has ended, before JavaScript knows of that. One step
   * can wait. Returns undefined if none runs.
   */
  nextStep(): Promise<NativeNextResult> | undefined
  /** Skips the waiting step, unless it has begun. */
  dropNextStep(): void
}

export interface NativeMemory extends MemoryParts {
  /** Index of the device. -1 means the host's memory. */
  readonly device: number
  /** Part of `modelBytes`: weights that the CPU reads in another order than the file's, so that it needs a copy. */
  readonly reorderedBytes: number
}

export interface NativeBatch {
  readonly tokens: Int32Array
  /**
   * Embeddings of a picture or a recording in place of tokens, which are then empty: `embeddingSize` numbers per entry.
   */
  readonly embeddings?: Float32Array
  /** False if the embeddings of a sequence attend to each other in any order. They must then fit one micro-batch. */
  readonly isCausal?: boolean
  /**
   * One position per entry. If the model's positions have several dimensions (M-RoPE), embeddings have four each: first
   * those of all entries in time, then in height, then in width, then unused ones. A picture whose entries attend to
   * each other in order may come in several batches: even so, all its entries share the first position.
   */
  readonly positions: Int32Array
  readonly sequences: Int32Array
  readonly outputs: readonly NativeOutput[]
  /** Tokens whose scores are wanted. Absent means none. */
  readonly scores?: readonly NativeScoring[]
  /**
   * True if the context's draft head reads these tokens too. Its proposals ignore tokens that it has not read. Absent
   * means false.
   */
  readonly isFollowed?: boolean
}

/** Known tokens: `next[i]` follows entry `entry` + i. */
export interface NativeScoring {
  readonly entry: number
  readonly next: Int32Array
  /** Number of alternatives per token, 0 to 20. */
  readonly top: number
}

/** Scores of the tokens of one `NativeScoring`, of the unmodified distribution. */
export interface NativeScores {
  readonly logprobs: Float32Array
  /** Ranks from 1: one more than the number of likelier tokens. */
  readonly ranks: Int32Array
  /** Alternatives of all tokens, equally many for each, likeliest first. -1 where there are no more. */
  readonly topTokens: Int32Array
  readonly topLogprobs: Float32Array
}

/** An entry after which a token is sampled. Several samplers may read the same entry (n choices). */
interface NativeOutput {
  readonly entry: number
  readonly sampler: NativeSampler
  /**
   * Number of following entries of the same sequence that are proposals: as long as the sampler chooses the token of
   * the next entry, it continues behind that entry. Absent means none. The caller has to remove rejected ones from the
   * sequence.
   */
  readonly drafts?: number
  /**
   * Tokens that the draft head proposes behind the last one sampled here, at the end of its sequence. Absent means
   * none.
   */
  readonly propose?: number
}

export type NativeStepResult =
  /**
   * `samples[i]` belong to `outputs[i]`, in order, at least one. All but the last were proposed, without `end` or
   * `error`.
   */
  | {
      readonly kind: 'ok'
      readonly samples: readonly (readonly NativeSample[])[]
      /** One for each entry of the batch's `scores`. Absent without any. */
      readonly scores?: readonly NativeScores[]
      /** Proposals of the draft head behind each output that it followed; empty if the answer ends. */
      readonly proposals?: readonly (readonly number[])[]
      /** Absent if not measured. */
      readonly times?: NativeStepTimes
    }
  /** The KV cache has no room for this batch; nothing was decoded, nothing was sampled. */
  | { readonly kind: 'cache-full' }

/** `skipped`: nothing was decoded. An answer ended with the step before, or the step was dropped. */
export type NativeNextResult = NativeStepResult | { readonly kind: 'skipped' }

/**
 * Milliseconds of a step's phases on its own thread, as in `core/step-times.ts`. `submit` is 0 where the CPU computes
 * the whole model.
 */
type NativeStepTimes = Readonly<Record<'build' | 'submit' | 'device' | 'copy' | 'sample', number>>

export interface NativeSample {
  readonly token: number
  /**
   * Text that may be returned now: whole UTF-8 characters (invalid bytes become U+FFFD), never a stop string or a
   * possible beginning of one. May be ''.
   */
  readonly text: string
  /** Reason why generation ends with this token. Absent while it continues. */
  readonly end?: 'end-of-generation' | 'stop-string'
  /**
   * Reason why nothing could be sampled (grammar and bans leave no token). The token is then -1 and the answer cannot
   * continue.
   */
  readonly error?: string
  /**
   * Log probability in the unmodified distribution (softmax of the logits). Present only if the sampler was made with
   * `topLogprobs >= 0`.
   */
  readonly logprob?: number
  readonly alternatives?: readonly { readonly token: number; readonly logprob: number }[]
}

export interface NativeSamplerOptions {
  readonly seed: number
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly minP: number
  readonly presencePenalty: number
  readonly frequencyPenalty: number
  readonly repeatPenalty: number
  /** Flat list: token, bias, token, bias, … */
  readonly logitBias: readonly number[]
  readonly stops: readonly string[]
  /** Number of alternatives, 0 to 20; -1 for no log probabilities. */
  readonly topLogprobs: number
  /** Tokens (as text) whose special form is rendered, from the chat format. */
  readonly preservedTokens: readonly string[]
  readonly grammar: string
  readonly grammarLazy: boolean
  readonly grammarTriggers: readonly NativeGrammarTrigger[]
  /** Beginning of the answer that the caller wrote. A grammar that is not lazy is advanced past it. */
  readonly grammarPrefix: string
  /** Part of the answer that the prompt holds, from the chat format. It may have opened a think block. */
  readonly generationPrompt: string
  /** Tag of the chat format; grammars do not apply inside a think block. Empty if there are no such blocks. */
  readonly thinkingStartTag: string
  readonly thinkingEndTags: readonly string[]
  /** Most tokens of a think block, -1 for any number; then its end tag is forced. */
  readonly thinkingBudgetTokens: number
}

/**
 * Sampling chain, thinking budget, UTF-8 assembly and stop matching of one answer. Owned by the caller, freed by
 * garbage collection.
 */
export interface NativeSampler {
  /** Shows prompt tokens to the repetition penalties. */
  acceptPrompt(tokens: Int32Array): void
  /**
   * Returns a hash of the answer's place in its grammar; undefined while no grammar applies. If it is equal before and
   * after a piece of text, the grammar would allow that piece for ever.
   */
  grammarPlace(): number | undefined
  /** Returns the text still held back when generation ends without a stop string (length, cancel). */
  flush(): string
}
