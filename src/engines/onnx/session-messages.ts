/** What an engine and its session's thread say to each other. */
import type { TextModelSettings } from '../../core/text-model-settings.ts'
import type { Batch } from './batch-feeds.ts'
import type { OnnxSession, SessionOptions } from './onnx-runtime.ts'
import type { Pooled } from './pooling.ts'
import type { ScoreSettings } from './scores.ts'

/** What is made of a graph's output. */
export type Reading =
  | ({ readonly type: 'vectors' } & Pick<TextModelSettings, 'pooling' | 'padding'>)
  | ({ readonly type: 'scores' } & ScoreSettings)

export type ToSession =
  | { readonly type: 'open'; readonly options: SessionOptions }
  | { readonly type: 'run'; readonly batch: Batch; readonly output: string; readonly reading: Reading }

/** One answer for each message, in order. */
export type FromSession =
  | { readonly type: 'opened'; readonly inputs: OnnxSession['inputs']; readonly outputs: OnnxSession['outputs'] }
  | { readonly type: 'ran'; readonly computed: Pooled }
  | { readonly type: 'failed'; readonly message: string }
