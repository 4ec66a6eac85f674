/** Advice for the operator: server options that enable an ability missed by a probe. */
import type { UpstreamFlavor } from '../../../core/upstream.ts'

interface Advice {
  /** Advice for any server. */
  readonly always?: string
  /** Command-line options by flavor. */
  readonly options?: Partial<Record<UpstreamFlavor, string>>
}

const advices = {
  reach: { always: "start it, or mend 'endpoints' of the manifest" },
  key: { always: "write its key into the place that 'key' of the manifest names" },
  model: {
    always: "write one of its names as 'model' of the manifest",
    options: {
      vllm: '--served-model-name NAME',
      sglang: '--served-model-name NAME',
      trtllm: '--served_model_name NAME',
      llamacpp: '--alias NAME',
    },
  },
  context: {
    options: {
      vllm: '--max-model-len TOKENS',
      sglang: '--context-length TOKENS',
      trtllm: '--max_seq_len TOKENS',
      llamacpp: '--ctx-size TOKENS, which its --parallel slots share',
    },
  },
  tools: {
    options: {
      vllm: '--enable-auto-tool-choice --tool-call-parser NAME',
      sglang: '--tool-call-parser NAME',
      trtllm: '--tool_parser NAME',
      llamacpp: '--jinja and a chat template that knows tools',
    },
  },
  thinking: {
    options: {
      vllm: '--reasoning-parser NAME',
      sglang: '--reasoning-parser NAME',
      trtllm: '--reasoning_parser NAME',
      llamacpp: '--jinja --reasoning-format auto',
    },
  },
  pictures: { options: { sglang: '--enable-multimodal', llamacpp: '--mmproj FILE' } },
  logprobs: { options: { vllm: '--max-logprobs 20' } },
  texts: { options: { vllm: '--runner pooling', sglang: '--is-embedding', llamacpp: '--embeddings' } },
  scores: { options: { vllm: '--runner pooling', sglang: '--is-embedding', llamacpp: '--reranking' } },
  cancel: { options: { llamacpp: '--slots' } },
} satisfies Record<string, Advice>

export type AdviceName = keyof typeof advices

/** Returns a sentence without its full stop; undefined if there is no advice. */
export function adviceFor(name: AdviceName, flavor: UpstreamFlavor): string | undefined {
  const { always, options }: Advice = advices[name]
  const option = options?.[flavor]
  const parts = [always, option && `start it with ${option}`].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(', or ')
}
